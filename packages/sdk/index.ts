export { type Client, createClient, type UploadOptions } from "./client.ts";
export { ApiError, ConnectionError } from "./failure.ts";
export { createManagement, type Management } from "./management.ts";
export { type Picture, type PictureOptions, picture, pictureHtml, type SrcSetOptions, srcSet } from "./picture.ts";
export type { CallOptions, ClientOptions } from "./request.ts";
export type { Image } from "./shapes.ts";
export { type SignOptions, signUrl } from "./sign-url.ts";
export { imageUrl, type TransformOptions } from "./transform.ts";
export type { UploadProgress, UploadSource, UploadStream } from "./upload.ts";
