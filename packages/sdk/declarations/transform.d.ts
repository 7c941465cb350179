import { PARAMETERS } from "./transform-parameters.js";
import type { Open } from "./types.js";
export interface Colour {
    /** 0 to 255. */
    readonly r: number;
    readonly g: number;
    readonly b: number;
    /** 0 to 1. Default: 1. */
    readonly alpha?: number;
}
/** Shares of a picture's width and height, from 0 to 1. */
export interface Point {
    readonly x: number;
    readonly y: number;
}
/** A part of a picture in whole pixels of it. */
export interface Piece extends Point {
    readonly w: number;
    readonly h: number;
}
/**
 * Every parameter of a transform address. The service ignores what it does not understand, so mistakes are refused here. A colour is
 * a CSS name, `#rrggbb`, `rgb(…)`, `rgba(…)`, or its parts; an image is the image itself or its id.
 */
export type TransformOptions = {
    readonly [N in Name]?: OptionOf<(typeof PARAMETERS)[N]> | undefined;
};
type Name = keyof typeof PARAMETERS;
type OptionOf<P extends Parameter> = P extends {
    kind: "choice";
    values: readonly (infer V)[];
} ? V : P extends {
    kind: "colour";
} ? Open<"white" | "black" | "transparent"> | Colour : P extends {
    kind: "image";
} ? string | {
    readonly id: string;
} : P extends {
    kind: "point";
    words: readonly (infer W)[];
} ? W | Point : P extends {
    kind: "piece";
} ? Piece : P extends {
    kind: "name";
} ? string : number | (P extends {
    words: readonly (infer W)[];
} ? W : never);
/** What the service takes, as its table of parameters says. `demand` ends the sentence that refuses a value; of a choice its values do. */
type Parameter = {
    readonly demand?: string;
    /** The value that goes without saying. */
    readonly usual?: string | number;
    /** What its numbers count. */
    readonly unit?: "px" | "°";
} & ({
    readonly kind: "choice";
    readonly values: readonly (string | number | true)[];
} | {
    readonly kind: "whole";
    readonly min: number;
    readonly max: number;
    readonly words?: readonly string[];
} | {
    readonly kind: "decimal";
    readonly min: number;
    readonly max: number;
    readonly decimals: number;
} | {
    readonly kind: "point";
    readonly decimals: number;
    readonly words: readonly string[];
} | {
    readonly kind: "colour" | "image" | "name" | "piece";
});
/**
 * The address of an image, transformed. The same options always give the same address, whatever their order, so that every cache
 * on the way holds one copy.
 * @throws TypeError for a parameter that there is not, RangeError for a value that the service would silently ignore
 */
export declare function imageUrl(image: string | {
    readonly url: string;
}, options?: TransformOptions): string;
/**
 * The service would ignore a parameter that it does not know, in silence.
 * @throws TypeError for one that is unknown, or among those that the function makes itself
 * @internal
 */
export declare function checkParameters(name: string, options: object, made?: readonly string[]): void;
/** Whether the service takes this value of a parameter, so that `imageUrl` does, too. @internal */
export declare function isTaken(name: string, value: unknown): boolean;
/** The value that a text stands for, as in an address: a word, a number, yes, a point or a piece; undefined where the service would ignore it. @internal */
export declare function readValue(name: string, text: string): unknown;
export {};
