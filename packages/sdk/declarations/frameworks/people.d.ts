import type { Client } from "../client.js";
import type { AuthContext } from "../shapes.js";
/** How people sign in to an App. One object, made once, for all four functions. */
export interface People {
    /** Of `createClient`, with an App-wide key. */
    readonly client: Client;
    /** Where `callback` is found, as it is registered: `svc redirect-uris create`. Its origin is the App's. */
    readonly redirectUri: string;
    /** At least 16 characters that nobody guesses; it seals the cookies. The same on all servers of the App. */
    readonly secret: string;
    /** Where `signIn` is found. Default: `/sign-in`. */
    readonly signInPath?: string | undefined;
    /** Where people go then, unless they came for another page. Default: `/`. */
    readonly afterSignIn?: string | undefined;
}
/** Who is signed in. `id` (`usr_…`) is who they are, also when the address changes. */
export type User = AuthContext["user"];
/** A request, of whatever framework. */
export interface Visit {
    /** With its query; an origin in it counts for nothing. */
    readonly url: string;
    readonly method: string;
    header(name: string): string | undefined;
}
/** What the four functions do. */
export interface Gate {
    signIn(visit: Visit): Promise<Response>;
    callback(visit: Visit): Promise<Response>;
    signOut(visit: Visit): Promise<Response>;
    /** Undefined for a visitor, and for who has left the App, at the latest a minute after it. */
    findUser(visit: Visit): Promise<User | undefined>;
    /** What a visitor gets where a user is required. */
    refuse(visit: Visit): Response;
    isPage(visit: Visit): boolean;
    readonly signInPath: string;
}
/** Whether a call failed because its user has left the App. */
export declare function hasLeft(error: unknown): boolean;
/**
 * The gate of these people: the same for each function, so that who has just signed in is not asked for again.
 * @throws TypeError for what would never work, or let others in
 */
export declare function gateOf(name: string, people: People): Gate;
/** Of frameworks that speak web standards. */
export declare function visitOf(request: Request): Visit;
