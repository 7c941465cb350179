import { type People, type User } from "./people.js";
export type { People, User } from "./people.js";
/** The part of a context of Hono that is used. */
export interface HonoContext {
    readonly req: {
        readonly raw: Request;
    };
    set(name: "user", value: User): void;
    /** What a handler failed with. */
    readonly error?: Error | undefined;
    res?: Response | undefined;
}
/** Sends people to the page of the service on which they sign in, without showing it to who can come back at once. */
export declare function signIn(people: People): (context: HonoContext) => Promise<Response>;
/** Takes them back, at the path of `redirectUri`. */
export declare function callback(people: People): (context: HonoContext) => Promise<Response>;
/** Signs out in this browser and leads to `/`. For a form: `app.post("/sign-out", signOut(people))`. */
export declare function signOut(people: People): (context: HonoContext) => Promise<Response>;
/** Lets none but users on: `c.get("user")` says who it is. A page of a visitor is led to sign in, anything else gets 401. */
export declare function requireUser(people: People): (context: HonoContext, next: () => Promise<void>) => Promise<Response | undefined>;
