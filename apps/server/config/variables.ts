import { isIP } from "node:net";
import { durationSeconds } from "@svc/base/words/durations";
import { lettersApart } from "@svc/base/words/likeness";
import { type Network, parseNetwork } from "../door/client-address.ts";
import type { ListenAddress } from "./config-types.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Everything that is wrong with the environment, in one message. */
export class ConfigError extends Error {
	override readonly name = "ConfigError";
}

/** Read by the CLI and by the tests, so the server lets them stand. */
const FOREIGN = ["SVC_API_KEY", "SVC_PROFILE", "SVC_PROFILE_FILE", "SVC_TEST_CORPUS"];

/**
 * What our pages give to Apps and to the command line. One terminal, or one file of settings, serves both: the service passes them over.
 * A test looks for every name on our pages.
 */
const OF_APPS = ["SVC_WEBHOOK_SECRET", "SVC_SIGNING_SECRET", "SVC_TOKEN", "SVC_THEME"];

/** Reads variables one by one and collects what is wrong, so that a start fails once and says everything. */
export class VariableReader {
	readonly #env: Environment;
	readonly #known = new Set<string>(FOREIGN);
	/** By the variable: a second fault would only follow from its first. */
	readonly #faults = new Map<string, string>();

	/** @param faults what was found before anything is read */
	constructor(env: Environment, faults: readonly string[] = []) {
		this.#env = env;
		for (const fault of faults) this.#faults.set(fault, fault);
	}

	/** True if the variable is set and not empty. */
	isSet(name: string): boolean {
		return Boolean(this.#env[name]);
	}

	optional(name: string): string | undefined {
		this.#known.add(name);
		return this.#env[name] || undefined;
	}

	text(name: string, fallback: string): string {
		return this.optional(name) ?? fallback;
	}

	/** A variable that has to be set. */
	matching(name: string, pattern: RegExp, takes: string): string {
		const value = this.optional(name) ?? "";
		if (!pattern.test(value)) this.fault(name, takes);
		return value;
	}

	oneOf<const T extends string>(name: string, values: readonly T[], fallback: T): T {
		const sent = this.optional(name);
		const value = values.find((one) => one === sent);
		if (sent !== undefined && value === undefined) this.fault(name, values.join(", "));
		return value ?? fallback;
	}

	/** The value is at most 2^53 − 1. */
	integer(name: string, fallback: number, min: number): number {
		const sent = this.optional(name);
		if (sent === undefined) return fallback;
		const value = /^\d{1,16}$/.test(sent) ? Number(sent) : Number.NaN;
		if (Number.isSafeInteger(value) && value >= min) return value;
		this.fault(name, `a whole number from ${min}`);
		// What is made of it is no fault of its own.
		return fallback;
	}

	/** Seconds; undefined when the variable is not set. */
	duration(name: string, minSeconds: number): number | undefined {
		const sent = this.optional(name);
		if (sent === undefined) return undefined;
		const seconds = durationSeconds(sent);
		if (seconds === undefined || seconds < minSeconds)
			this.fault(name, `a time of at least ${minSeconds} seconds, such as 6h or 1d`);
		return seconds;
	}

	/** An http(s) origin; a trailing slash is removed. A fallback is taken as it is: where it is made of a wrong value, that one is told. */
	origin(name: string, fallback?: string): string {
		const sent = this.optional(name);
		if (sent === undefined && fallback !== undefined) return fallback;
		const url = URL.parse(sent ?? "");
		const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
		if (!isPlain) this.fault(name, "an origin such as https://api.example.com, without a path, a name and a password");
		return url?.origin ?? sent ?? "";
	}

	/** Returns milliseconds. */
	date(name: string, fallback: string): number {
		const milliseconds = Date.parse(this.optional(name) ?? fallback);
		if (Number.isNaN(milliseconds)) this.fault(name, "an ISO-8601 date");
		return milliseconds;
	}

	/** Undefined when the variable is not set. */
	listen(name: string): ListenAddress[] | undefined {
		return this.optional(name)
			?.split(",")
			.map((entry) => {
				const match = /^(.+):(\d{1,5})$/.exec(entry.trim());
				if (!match || Number(match[2]) > 65_535) this.fault(name, "host:port[,host:port]");
				return { hostname: (match?.[1] ?? "").replace(/^\[|\]$/g, ""), port: Number(match?.[2]) };
			});
	}

	hostPorts(name: string): string[] {
		const entries = (this.optional(name) ?? "").split(",").map((entry) => entry.trim());
		const sent = entries.filter((entry) => entry !== "");
		if (!sent.every((entry) => /^\S+:\d{1,5}$/.test(entry))) this.fault(name, "a list of host:port");
		return sent;
	}

	/** An IP address, with or without a port; undefined when the variable is not set. */
	serverAddress(name: string): string | undefined {
		const sent = this.optional(name);
		if (sent === undefined || isIP(sent) !== 0) return sent;
		const [, v6, v4, port] = /^(?:\[([^\]]+)\]|([\d.]+)):(\d{1,5})$/.exec(sent) ?? [];
		if (isIP(v6 ?? v4 ?? "") === 0 || Number(port) > 65_535)
			this.fault(name, "an IP address, or one with a port, such as 10.0.0.2:53");
		return sent;
	}

	/** Addresses and CIDRs; `none` stands for an empty list. */
	networks(name: string, fallback: string): Network[] {
		const sent = this.text(name, fallback);
		if (sent.trim() === "none") return [];
		return sent.split(",").flatMap((entry) => {
			const network = parseNetwork(entry.trim());
			if (!network) this.fault(name, "addresses and networks such as 10.0.0.0/8,2001:db8::/32, or none");
			return network ? [network] : [];
		});
	}

	/** Reports a variable that is known, but without a meaning in the chosen configuration. */
	unused(names: readonly string[]): void {
		for (const name of names) this.#known.add(name);
	}

	/** The fault of a variable, without its value where that is a secret. */
	fault(name: string, takes: string): void {
		const value = this.#env[name];
		const got = value === undefined || value === "" ? "is not set" : `is ${shown(name, value)}`;
		// One fault is told once: what is wrong for two reasons was wrong for the first.
		if (!this.#faults.has(name)) this.#faults.set(name, `${name} ${got}; it takes ${takes}`);
	}

	/** @param alike what may have been meant */
	unknown(name: string, alike: string | undefined): void {
		const next = alike === undefined ? "docs/reference/configuration.md lists all" : `did you mean ${alike}?`;
		this.#faults.set(name, `${name} is not a variable of this service; ${next}`);
	}

	isAtFault(name: string): boolean {
		return this.#faults.has(name);
	}

	get names(): readonly string[] {
		return [...this.#known];
	}

	get sentNames(): readonly string[] {
		return Object.keys(this.#env).filter((name) => name.startsWith("SVC_"));
	}

	/** @throws ConfigError */
	finish(): void {
		const faults = [...this.#faults.values()];
		if (faults.length > 0) throw new ConfigError(`The configuration is wrong:\n  ${faults.join("\n  ")}`);
	}
}

/** Secrets, and addresses in which a password may stand. */
const MAY_HOLD_SECRET = /SECRET|TOKEN|ACCESS_KEY|(DATABASE|SMTP|SCAN)_URL|PURGE|ENDPOINT|stripe_api_base/;

/** A value in a message. What could hold a secret is not shown: with a name and a password before the host, behind a question mark, or unreadable. */
function shown(name: string, value: string): string {
	if (MAY_HOLD_SECRET.test(name) || value.includes("@")) return "set";
	const url = URL.parse(value);
	const isAddress = value.includes("://");
	return isAddress && (url?.search !== "" || url.hash !== "") ? "set" : JSON.stringify(value);
}

const LIKE_LETTERS_MAX = 3;

/** Otherwise a mistyped variable would silently leave the default in force. */
export function refuseUnknown(read: VariableReader): void {
	const names = read.names;
	const passedOver = [...names, ...OF_APPS];
	for (const sent of read.sentNames) {
		if (passedOver.includes(sent) || sent.startsWith("SVC_TEST_")) continue;
		const nearest = names.reduce((best, name) => (unlikeness(sent, name) < unlikeness(sent, best) ? name : best));
		read.unknown(sent, isAlike(sent, nearest) ? nearest : undefined);
	}
}

/** Whether it is a slip of the hand. A suggestion that only looks like it is followed by somebody, and makes things worse. */
function isAlike(sent: string, name: string): boolean {
	const letters = sent.replace(/^SVC_/, "").length;
	return unlikeness(sent, name) <= Math.min(LIKE_LETTERS_MAX, letters / 3);
}

/** The prefix counts for nothing where only it is wrong: SVC_PORT means PORT. */
function unlikeness(sent: string, name: string): number {
	return Math.min(lettersApart(sent, name), lettersApart(sent.replace(/^SVC_/, ""), name));
}
