import { expect, test } from "bun:test";
import { ENTRIES } from "@svc/deploy/sdk-package";
import { createClient } from "@svc/sdk/client";
import type { Call, Calls, Fields, Takes } from "@svc/sdk/wire/check";
import * as functions from "@svc/sdk/wire/takes";
import { CLIENT, CREATE_CLIENT } from "@svc/sdk/wire/takes-client";
import { CREATE_MANAGEMENT, MANAGEMENT } from "@svc/sdk/wire/takes-management";

/* Every function of the package, given what it does not take. */

type AnyFunction = (...given: readonly unknown[]) => unknown;

interface Public {
	readonly name: string;
	readonly call: AnyFunction;
	readonly takes: Fields;
}

/** What frameworks call, for a page that may not fail over an attribute. */
const OF_FRAMEWORKS = new Set(["next.default", "astro.default", "nuxt.default"]);

const TABLES: Readonly<Record<string, Fields>> = { ...functions, CREATE_CLIENT, CREATE_MANAGEMENT };

let sent = 0;
const ACCESS = {
	baseUrl: "http://localhost",
	apiKey: "svc_sk_test_x",
	fetch: async () => {
		sent++;
		// An object to a call that reads one, and not the type of one to a call that reads a file.
		return new Response("{}", { headers: { "Content-Type": "application/x+json" } });
	},
};

/** Of everything that an entry exports, and of what its clients give. */
async function publicFunctions(): Promise<readonly Public[]> {
	const modules = await Promise.all(ENTRIES.map((entry) => import(`@svc/sdk/${entry}`)));
	const exported = modules.flatMap((module: Record<string, unknown>, at) =>
		Object.entries(module)
			.filter(([name, held]) => isPublic(held) && !OF_FRAMEWORKS.has(`${ENTRIES[at]}.${name}`))
			.flatMap(([name, held]) => functionAndCalls(name, held as AnyFunction)),
	);
	return [...exported, ...callsOn(createClient(ACCESS).forUser("usr_1"), CLIENT, "forUser")];
}

const isPublic = (held: unknown) => typeof held === "function" && !/^class\b/.test(String(held));

function functionAndCalls(name: string, call: AnyFunction): readonly Public[] {
	const takes = TABLES[name.replace(/[A-Z]/g, "_$&").toUpperCase()];
	// What our own programs use of an entry has no table, and is marked `@internal` where it stands.
	if (takes === undefined) expect(INTERNAL).toContain(name);
	const calls = { createClient: CLIENT, createManagement: MANAGEMENT }[name];
	return [...(takes ? [{ name, call, takes }] : []), ...(calls ? callsOn(call(ACCESS) as object, calls, name) : [])];
}

const INTERNAL = ["isTaken", "readValue", "checkParameters", "readApiError"];

/** @throws where a call has no table */
function callsOn(held: object, table: Calls, path: string): readonly Public[] {
	return Object.entries(held).flatMap(([key, value]: [string, unknown]): readonly Public[] => {
		const name = `${path}.${key}`;
		const entry = table[key];
		if (entry === undefined) throw new Error(`${name} looks at nothing that it is given: run npm run generate.`);
		if (typeof value !== "function") return callsOn(value as object, entry as Calls, name);
		const [takes, gives = {}] = entry as Call;
		const call = value as AnyFunction;
		const below = Object.keys(gives).length === 0 ? [] : callsOn(call("x") as object, gives, `${name}()`);
		return [{ name, call, takes }, ...below];
	});
}

/** Something that is taken. */
function sample(takes: Takes): unknown {
	if (typeof takes === "string") return SAMPLES[takes.split("|").at(-1) ?? ""];
	if (takes["[]"] !== undefined) return [sample(takes["[]"])];
	const needed = Object.entries(takes).filter(([key]) => /^\w+$/.test(key));
	return Object.fromEntries(needed.map(([key, inner]) => [key, sample(inner)]));
}

const SAMPLES: Readonly<Record<string, unknown>> = {
	...{ string: "x", number: 1, boolean: true, object: {}, any: 1, function: () => 1, bytes: new Blob() },
	...{ "string[]": [], "number[]": [], Date: new Date(0), null: null, undefined: undefined },
};

const isClosed = (takes: Takes | undefined): takes is Fields =>
	typeof takes === "object" && takes["*"] === undefined && takes["[]"] === undefined;

/** Something of a kind that is not taken. */
function wrong(takes: Takes): unknown {
	const kinds = typeof takes === "string" ? takes : String(takes["|"] ?? "");
	return kinds.split("|").includes("string") ? true : "a text";
}

async function failureOf({ call }: Public, given: readonly unknown[]): Promise<string> {
	try {
		await call(...given);
		return "nothing was thrown";
	} catch (error) {
		return `${(error as Error).name}: ${(error as Error).message}`;
	}
}

/** What is given, and what the refusal must speak of. */
interface Slip {
	readonly given: readonly unknown[];
	readonly named: readonly string[];
}

function slipsOf({ takes: parameters }: Public): readonly Slip[] {
	const all = Object.entries(parameters);
	const samples = all.map(([, takes]) => sample(takes));
	return all.flatMap(([key, takes], place): readonly Slip[] => {
		const name = key.replace("?", "");
		const slip = (value: unknown, ...named: readonly string[]) => ({ given: samples.with(place, value), named });
		const fields = isClosed(takes) ? (sample(takes) as object) : undefined;
		return [
			...(key.endsWith("?") ? [] : [slip(undefined, name, "undefined")]),
			...(takes === "any" ? [] : [slip(wrong(takes), name)]),
			...(fields ? [slip({ ...fields, strange_option: 1 }, "strange_option is not an option")] : []),
			...(fields && isClosed(takes) && "user!" in takes
				? [slip({ ...fields, user: undefined }, "user is undefined: null means the App storage")]
				: []),
		];
	});
}

test("each public function refuses undefined, another kind and an unknown option, by name, before anything is sent", async () => {
	const all = await publicFunctions();
	expect(all.length).toBeGreaterThan(250);
	const failures: string[] = [];
	for (const one of all) {
		for (const { given, named } of slipsOf(one)) {
			const failure = await failureOf(one, given);
			const isTold = failure.startsWith("TypeError: ") && named.every((text) => failure.includes(text));
			if (!isTold) failures.push(`${one.name} (${named.join()}): ${failure}`);
		}
	}
	expect(failures).toEqual([]);
	expect(sent).toBe(0);
});
