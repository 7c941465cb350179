/** Kinds of a value, as `Date|string|null`, or the fields of an object. */
export type Takes = string | Fields;
/**
 * Fields by name. With `?` one may be left out or undefined; with `!` it may be left out, and has a value where it is named. `|`: what else it
 * may be; `[]`: a list of these; `*`: any other field.
 */
export interface Fields {
    readonly [name: string]: Takes;
}
/** Of a call its parameters, in their order. With `gives`, the calls on what it gives, nothing of it is a promise. */
export type Call = readonly [parameters: Fields, gives?: Calls];
export interface Calls {
    readonly [name: string]: Call | Calls;
}
/** @internal */
export declare function unknownOption(path: string, name: string, known: readonly string[]): TypeError;
/**
 * Looks at the arguments of a function.
 * @param name as one writes it: `images.get`
 * @throws TypeError naming what is missing, unknown, or of a wrong kind, and what to give
 */
export declare function checkArguments(name: string, parameters: Fields, given: readonly unknown[]): void;
/** The same calls, each of which looks at its arguments first. A call that gives a promise rejects with what it finds, others throw it. */
export declare function checked<T extends object>(calls: T, takes: Calls, path?: string): T;
