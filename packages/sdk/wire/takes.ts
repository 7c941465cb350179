/* Made by `npm run generate` from the SDK's types: what each function takes. */
// biome-ignore-all format: a program has made it

import type { Fields } from "./check.ts";

const VerifyOptions: Fields = { "toleranceSeconds?": "number", "now?": "number" };

const SrcSetOptions: Fields = { "widths?": "number[]", "ratio?": "number", "*": "any" };

const PictureOptions: Fields = { alt: "string", "sizes?": "string", "formats?": "string[]", "fallback?": "string", "priority?": "boolean", "placeholder?": "string", "widths?": "number[]", "ratio?": "number", "*": "any" };

const SignOptions: Fields = { secret: "string", "expiresIn?": "number|string", "expiresAt?": "Date|number|string", "parameters?": { "*": "boolean|number|string|undefined" } };

const People: Fields = { client: "object", redirectUri: "string", secret: "string", "signInPath?": "string", "afterSignIn?": "string" };

const LoaderOptions: Fields = { "cdnUrl?": "string", "*": "any" };

const TicketUploadOptions: Fields = { "onProgress?": "function", "signal?": "object", "filename?": "string", "retries?": "number", "timeoutMs?": "number", "fetch?": "function" };

const UppyTicketOptions: Fields = { ticket: "function", "limit?": "number", "retries?": "number" };

const FilePondTicketOptions: Fields = { ticket: "function", "remove?": "function", "retries?": "number" };

export const VERIFY_WEBHOOK: Fields = { body: "string", headers: "object", secret: "string|string[]", "options?": VerifyOptions };

export const IMAGE_URL: Fields = { image: { "|": "string", url: "string", "*": "any" }, "options?": { "*": "any" } };

export const SRC_SET: Fields = { image: { "|": "string", url: "string", "width?": "number", "height?": "number", "format?": "string", "*": "any" }, "options?": SrcSetOptions };

export const PICTURE: Fields = { image: { "|": "string", url: "string", "width?": "number", "height?": "number", "format?": "string", "*": "any" }, options: PictureOptions };

export const PICTURE_HTML: Fields = { image: { "|": "string", url: "string", "width?": "number", "height?": "number", "format?": "string", "*": "any" }, options: PictureOptions };

export const SIGN_URL: Fields = { image: { "|": "string", url: "string", "*": "any" }, options: SignOptions };

export const SIGN_IN: Fields = { people: People };

export const CALLBACK: Fields = { people: People };

export const SIGN_OUT: Fields = { people: People };

export const REQUIRE_USER: Fields = { people: People };

export const USER_LEFT: Fields = { people: People };

export const CREATE_LOADER: Fields = { "options?": LoaderOptions };

export const TRANSFORM: Fields = { src: "object|string" };

export const GET_IMAGE: Fields = { src: "string" };

export const UPLOAD_WITH_TICKET: Fields = { url: "string", file: "bytes", "options?": TicketUploadOptions };

export const ADD_TICKET_UPLOADER: Fields = { uppy: "object", options: UppyTicketOptions };

export const TICKET_SERVER: Fields = { options: FilePondTicketOptions };
