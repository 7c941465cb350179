import type { DeliveryPolicy } from "@svc/base/enumerations";
import type { LinkBounds } from "@svc/delivery/links/bounds";
import type { DeliveryRules } from "@svc/delivery/rules";
import { claimsToBeSigned, readSigned } from "@svc/delivery/signature";
import type { AddressApp } from "@svc/images/ports";
import { PARAMETERS, type ParameterName } from "@svc/images/transform/parameters";
import type { Address } from "./address.ts";

/** Reads the presets and signing keys of an App, and what it lets the links of strangers do. */
export interface DeliveryDoor {
	of(app: AddressApp): Promise<DeliveryRules>;
	/** Undefined where nothing bounds this address. */
	boundsOf(app: AddressApp, address: Address): LinkBounds | undefined | Promise<LinkBounds>;
}

/** What an address asks for, once its App answers it. */
export interface AdmittedAddress {
	/** Without a signature, and with what a preset stands for. */
	readonly query: string;
	/** When its signature ends, in seconds since 1970; undefined for one that needs none. */
	readonly exp?: number;
}

/** What may be said with other characters as well: `pres%65t` is a preset. The letters of these names begin with %6 and %7. */
const SPECIAL = /preset|sig|exp|%[67]/i;

/**
 * What an address asks for; undefined where its App does not answer it. Nothing is looked up, or waited for, where the App answers all
 * addresses and this one names no preset.
 */
export function admit(
	address: Address,
	app: AddressApp,
	rules: DeliveryDoor,
	nowMs: number,
): AdmittedAddress | undefined | Promise<AdmittedAddress | undefined> {
	const { policy } = app;
	if (policy === "open" && !SPECIAL.test(address.query)) return address;
	const query = new URLSearchParams(address.query);
	if (policy !== "open") return admitStrictly(address, query, policy, () => rules.of(app), nowMs);
	// Its signature means nothing, and must not make it another form.
	const plain = claimsToBeSigned(query) ? unsigned(query) : address.query;
	if (!query.has("preset")) return { query: plain };
	return rules.of(app).then(({ presets }) => ({ query: presetOf(query, presets) ?? plain }));
}

async function admitStrictly(
	address: Address,
	query: URLSearchParams,
	policy: Exclude<DeliveryPolicy, "open">,
	find: () => Promise<DeliveryRules>,
	nowMs: number,
): Promise<AdmittedAddress | undefined> {
	if (claimsToBeSigned(query)) {
		const { secrets, presets } = await find();
		const signed = readSigned(address.path, query, secrets, nowMs);
		if (!signed) return undefined;
		const { parameters, exp } = signed;
		if (!parameters.has("preset")) return { query: parameters.toString(), exp };
		const preset = presetOf(parameters, presets);
		return preset === undefined ? undefined : { query: preset, exp };
	}
	if (policy === "signed") return undefined;
	if (query.has("preset")) {
		const preset = presetOf(query, (await find()).presets);
		return preset === undefined ? undefined : { query: preset };
	}
	return isPlain(query) ? address : undefined;
}

/** What the preset of a query stands for; undefined where it names none that there is, or two. */
function presetOf(query: URLSearchParams, presets: DeliveryRules["presets"]): string | undefined {
	const known = new Set(query.getAll("preset").filter((name) => presets.has(name)));
	const [name = ""] = known;
	return known.size === 1 ? presets.get(name) : undefined;
}

/** The parameters of an address that needs no signature: a size that every image has, and the name of a download. */
const PLAIN: ReadonlySet<string> = new Set(["size", "dl"] satisfies ParameterName[]);

/**
 * Whether a query names no other parameter, valid or not. The names alone decide: what a value does depends on the stored file, and whether
 * there is such a file must not show.
 */
function isPlain(query: URLSearchParams): boolean {
	return [...query.keys()].every((name) => PLAIN.has(name) || !Object.hasOwn(PARAMETERS, name));
}

function unsigned(query: URLSearchParams): string {
	return new URLSearchParams([...query].filter(([name]) => name !== "sig" && name !== "exp")).toString();
}
