import type { Calls, Fields } from "./check.js";
export declare const CREATE_MANAGEMENT: Fields;
export declare const MANAGEMENT: Calls;
