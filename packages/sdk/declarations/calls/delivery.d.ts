import type { Preset, SigningKey } from "../shapes.js";
import type { WithSecret } from "../types.js";
import { type Calls } from "../wire/calls.js";
import type { CallOptions, PostOptions } from "../wire/request.js";
import type { Transport } from "../wire/transport.js";
/** The parameters of an address, as texts: `{ w: "300" }`. */
export type PresetParameters = Preset["parameters"];
export interface PresetChanges {
    /** 1 to 32 of the characters a to z, 0 to 9, _ and -. */
    readonly name?: string | undefined;
    /** All of them: what is not named is no parameter of it any more. */
    readonly parameters?: PresetParameters | undefined;
}
export declare function presetsOf(transport: Transport, calls: Calls, appId: string): {
    list(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("../types.js").List<Preset>>;
    all(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<Preset, void, undefined>;
    /** From then on `{url}?preset=<name>` asks for these parameters. */
    create: (name: string, parameters: PresetParameters, options?: PostOptions) => Promise<Preset>;
    edit: (id: string, changes: PresetChanges, options?: CallOptions) => Promise<Preset>;
    delete: (id: string, options?: CallOptions) => Promise<import("../shapes.js").Tombstone>;
} & {
    readonly update: (id: string, changes: PresetChanges, options?: CallOptions) => Promise<Preset>;
};
export declare function signingKeysOf(transport: Transport, calls: Calls, appId: string): {
    list(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("../types.js").List<SigningKey>>;
    all(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<SigningKey, void, undefined>;
    /** Its secret, which is shown this once, is for `signUrl`. */
    create: (name: string, options?: PostOptions) => Promise<SigningKey & WithSecret>;
    /** Ends the addresses that it has signed. */
    delete: (id: string, options?: CallOptions) => Promise<import("../shapes.js").Tombstone>;
};
