import type { Calls, Fields } from "./check.js";
export declare const CREATE_CLIENT: Fields;
export declare const CLIENT: Calls;
