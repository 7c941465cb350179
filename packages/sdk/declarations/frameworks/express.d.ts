import { type People } from "./people.js";
export type { People, User } from "./people.js";
/** The part of a request of Express that is used. */
export interface ExpressRequest {
    readonly method: string;
    readonly originalUrl: string;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}
/** The part of a response of Express that is used. */
export interface ExpressResponse {
    statusCode: number;
    readonly headersSent: boolean;
    appendHeader(name: string, value: string): unknown;
    end(body: string): unknown;
}
export type ExpressHandler = (request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void) => Promise<void>;
/** Sends people to the page of the service on which they sign in, without showing it to who can come back at once. */
export declare function signIn(people: People): ExpressHandler;
/** Takes them back, at the path of `redirectUri`. */
export declare function callback(people: People): ExpressHandler;
/** Signs out in this browser and leads to `/`. For a form: `app.post("/sign-out", signOut(people))`. */
export declare function signOut(people: People): ExpressHandler;
/** Lets none but users on: `req.user` says who it is. A page of a visitor is led to sign in, anything else gets 401. */
export declare function requireUser(people: People): ExpressHandler;
/**
 * After the routes: `app.use(userLeft(people))`. Who has left the App since they were last asked for, so that a call about them is refused with
 * `user_forbidden`, is answered as a visitor is; any other failure goes on.
 */
export declare function userLeft(people: People): (error: unknown, request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void) => void;
