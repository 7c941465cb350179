export const ROOT_PATH = "/docs";
/** Where the API document is shown. */
export const REFERENCE_PATH = "/docs/api";
