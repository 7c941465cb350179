/* What hardly anybody changes, in one variable: `SVC_TUNING=key_burst=400,warm_sizes=off`. */

export const TUNING = "SVC_TUNING";

const GIB = 1_024 ** 3;

export const TUNING_OPTIONS = [
	["key_burst", "200", "calls of a key at once; by default four times SVC_KEY_RATE"],
	["create_burst", "50", "creates of a key at once; by default five times SVC_CREATE_RATE"],
	["render_queue", "256", "thumbnails that wait for their turn, and a quarter as many of what takes longer"],
	["warm_sizes", "on", "after an upload the size s is made, and m and l where an App shows sizes; or off"],
	[
		"small_max_bytes",
		String(4 * GIB),
		"bytes of disk for the size s of every picture, which lists of pictures show: about 16 kB each",
	],
	[
		"compact_after",
		"",
		"requests a day after which a rendition is made again in fewer bytes: 50, or 3 behind caches; 0: never",
	],
	["cdn_shared_max_age", "", "seconds for the caches in front alone: 86400 where they are purged, else at most 300"],
	["scrub_days", "30", "within how many days every stored original is read and compared; 0: never"],
	["mail_rate", "300", "mails a minute; 0: any number"],
	["grace_days", "3", "how long a plan outlives a failed renewal"],
	["public_cutoff", "2026-11-01T00:00:00Z", "when the current interface begins to refuse public images"],
	[
		"anonymous_max_bytes",
		String(10 * GIB),
		"with SVC_VARIANT=legacy: bytes of all images that were created without a key",
	],
	["segment_model", "", "an ONNX file that finds subjects in place of the built-in models"],
	["stripe_api_base", "", "another address of Stripe's API, for tests"],
] as const;

export type TuningOption = (typeof TUNING_OPTIONS)[number][0];

const NAMES: readonly string[] = TUNING_OPTIONS.map(([name]) => name);

/** What a message and the reader call an option. */
export function tuned(option: TuningOption): string {
	return `${option} of ${TUNING}`;
}

interface Tuning {
	/** By {@link tuned}. */
	readonly values: Readonly<Record<string, string>>;
	readonly faults: readonly string[];
}

/** @param text `option=value`, with commas between them; of one that stands there twice the last counts */
export function parseTuning(text: string): Tuning {
	const entries = text
		.split(",")
		.map((entry) => entry.trim())
		.filter((entry) => entry !== "")
		.map((entry) => ({
			name: entry.split("=", 1)[0]?.trim() ?? "",
			value: entry.slice(entry.indexOf("=") + 1).trim(),
		}));
	const isKnown = ({ name }: { readonly name: string }) => NAMES.includes(name);
	return {
		values: Object.fromEntries(entries.filter(isKnown).map(({ name, value }) => [tuned(name as TuningOption), value])),
		// What is unknown is not repeated: it may be a secret that went astray.
		faults: entries.every(isKnown)
			? []
			: [`${TUNING} has an option that there is not; it takes option=value,… of ${NAMES.join(", ")}`],
	};
}
