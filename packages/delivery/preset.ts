/** The parameters of an address, as texts. */
export type PresetParameters = Readonly<Record<string, string>>;

/** A form of an App's images under a name: `?preset=thumb`. */
export interface Preset {
	readonly pk: number;
	readonly id: string;
	readonly name: string;
	readonly parameters: PresetParameters;
	readonly createdMs: number;
}
