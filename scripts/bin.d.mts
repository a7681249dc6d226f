export declare const HEAD: string;
export declare const TAIL: string;
export declare const KEEPS_CODE_SINCE: number;
export declare const BIN: string;
