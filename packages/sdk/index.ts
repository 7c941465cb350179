export { type Client, createClient } from "./client.ts";
export { ApiError, ConnectionError } from "./failure.ts";
export { createManagement, type Management } from "./management.ts";
export type { ClientOptions } from "./request.ts";
export type { Image } from "./shapes.ts";
export { imageUrl, type TransformOptions } from "./transform.ts";
