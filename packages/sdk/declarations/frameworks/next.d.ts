import { type TransformOptions } from "../transform.js";
import { type People, type User } from "./people.js";
export type { People, User } from "./people.js";
export interface LoaderOptions extends Omit<TransformOptions, "size" | "w" | "h"> {
    /** Only addresses below this one are transformed. Default: every `http` address. */
    readonly cdnUrl?: string | undefined;
}
/** What `next/image` gives a loader. */
export interface LoaderRequest {
    readonly src: string;
    /** Pixels. */
    readonly width: number;
    /** 1 to 100. */
    readonly quality?: number | undefined;
}
/**
 * A loader for `next/image` with settings of one's own: `export default createLoader({ format: "avif" })` in the file that `images.loaderFile`
 * names, or `<Image loader={…}>` in a client component. Pictures are WebP by default, which every browser of today knows, and which may move.
 */
export declare function createLoader(options?: LoaderOptions): (request: LoaderRequest) => string;
/** The loader without settings. In the file that `images.loaderFile` names: `export { default } from "@svc/sdk/next"`. */
declare const _default: (request: LoaderRequest) => string;
export default _default;
/** Sends people to the page of the service on which they sign in: `export const GET = signIn(people)` in `app/sign-in/route.js`. */
export declare function signIn(people: People): (request: Request) => Promise<Response>;
/** Takes them back: `export const GET = callback(people)` at the path of `redirectUri`. */
export declare function callback(people: People): (request: Request) => Promise<Response>;
/** Signs out in this browser and leads to `/`. For a form: `export const POST = signOut(people)`. */
export declare function signOut(people: People): (request: Request) => Promise<Response>;
/**
 * Who is signed in, in a page, an action or a route: `const user = await requireUser(people)`. A page of a visitor is led to sign in, and so is who
 * sends a form of one; anything else gets 401.
 */
export declare function requireUser(people: People): Promise<User>;
/**
 * For calls about a user: `await svc.forUser(user.id).images.list().catch(userLeft(people))`. Who has left the App since they were last asked for,
 * so that the call is refused with `user_forbidden`, is treated as a visitor is by `requireUser`; any other failure is thrown on.
 */
export declare function userLeft(people: People): (error: unknown) => Promise<never>;
