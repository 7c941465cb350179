/** How the API document says that a key may be left out: the empty requirement makes the other one optional (OpenAPI 3.1, "Operation Object"). */
export const KEY_OR_NONE = [{ key: [] }, {}];
