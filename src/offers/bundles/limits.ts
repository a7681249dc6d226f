/** The largest file that is read as a bundle. */
export const MAX_BUNDLE_BYTES = 256 * 1024 * 1024;
/** The files of a bundle, all together and one by one. */
export const MAX_UNPACKED_BYTES = 1024 * 1024 * 1024;
export const MAX_ENTRY_BYTES = 512 * 1024 * 1024;
export const MAX_ENTRIES = 50_000;
/** Programs rarely become smaller than a tenth; bombs reach a thousandth. */
export const MAX_RATIO = 100;
/** Below this size the ratio does not matter. */
export const HARMLESS_BYTES = 16 * 1024 * 1024;
export const MAX_MANIFEST_BYTES = 1024 * 1024;
