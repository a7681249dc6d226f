/** Follows the signature or the name of a tool that only reads. */
export const READ_MARK = " [read]";
