import { beforeAll, expect, test } from "bun:test";
import { PARAMETER_LIST } from "@svc/images/transform/parameters";
import { parseValue } from "@svc/images/transform/values";
import type { Image } from "@svc/sdk/shapes";
import { Ajv2020 } from "ajv/dist/2020.js";
import sharp from "sharp";
import { corners } from "../../support/pictures.ts";
import { uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { textsOf } from "../../support/transform-texts.ts";

/* The table alone says what is tried: its bounds, what lies just outside of them, and what is no value at all. */

const service = serviceFor();
let image: Image;

beforeAll(async () => {
	image = await uploaded(service, await corners(40, 20));
});

test.each(PARAMETER_LIST)(
	"$name: each bound, and each value beyond it, is answered with a picture",
	async ({ name, takes }) => {
		for (const text of textsOf(takes)) {
			const query = `${name}=${encodeURIComponent(text.toWellFormed())}`;
			const response = await service.open(`${image.url}?${query}`);
			expect([query, response.status]).toEqual([query, 200]);
			const bytes = new Uint8Array(await response.arrayBuffer());
			if (response.headers.get("content-type") === "application/json") expect(name).toBe("info");
			else expect((await sharp(bytes).metadata()).width).toBeGreaterThan(0);
		}
	},
);

/** Of values that are texts: some that are taken, and some that are ignored. */
const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
	point: ["0.25,.4", "1,1.0", "00,1", "center", "1.1,0", "0.5", "0.5,0.5,0.5", "middle", "a,b", "0.5, 0.5"],
	piece: ["0,0,1,1", "010,5,20,0030", "0,0,0,1", "0,0,1,0", "-1,0,5,5", "1,2,3", "1,2,3,4,5", "1.5,0,5,5", "a,b,c,d"],
	colour: [
		...["teal", "RebeccaPurple", "#fff", "#FF880080", "rgb(1,2,3)", "RGBA(1, 2, 3, .5)", "rgb(1 2 3 / 50%)"],
		...["#ff", "#12345", "rgb(1,2)", "rgb(1,2,3,4,5)", "rgb(1 2 3 4)", "hsl(1,2,3)", "rgb()", "#ggg"],
	],
	image: [`img_${"a".repeat(21)}`, `app_${"a".repeat(22)}`, `img_${"-".repeat(22)}`],
};

const PLAUSIBLE_COLOUR = /^(?:[a-z]+|rgba?\(\d+%?,\d+%?,\d+%?(?:,[\d.]+%?)?\))$/i;

/** A query parameter as the API document has it. */
interface Described {
	readonly name: string;
	readonly description: string;
	readonly example: unknown;
	readonly in: string;
	readonly schema: Schema;
}

interface Schema {
	readonly default?: unknown;
	readonly pattern?: string;
	readonly type?: string;
	readonly enum?: readonly unknown[];
	readonly anyOf?: readonly Schema[];
	readonly minimum?: number;
	readonly maximum?: number;
	readonly examples?: readonly unknown[];
}

/** The smallest and the largest that a schema allows, and what lies beyond. */
function triedOf({ enum: words = [], anyOf = [], minimum, maximum }: Schema): readonly string[] {
	const bounds = [minimum, maximum].flatMap((bound) => (bound === undefined ? [] : [bound - 1, bound, bound + 1]));
	return [...[...words, ...bounds, "?"].map(String), ...anyOf.flatMap(triedOf)];
}

async function describedParameters(): Promise<readonly Described[]> {
	const document = (await (await service.api("/openapi.json")).json()) as {
		readonly paths: Readonly<Record<string, { readonly get: { readonly parameters: readonly Described[] } }>>;
	};
	return document.paths["/{team_hash}/{filename}"]?.get.parameters.filter((one) => one.in === "query") ?? [];
}

test("the API document gives each transform parameter the default of the table, and an example that is a value of it", async () => {
	const described = new Map((await describedParameters()).map((one) => [one.name, one]));
	for (const { name, takes, usual } of PARAMETER_LIST) {
		const { schema, example = schema?.examples?.[0] } = described.get(name) ?? {};
		expect([name, schema?.default]).toEqual([name, usual]);
		expect([name, parseValue(takes, String(example))]).not.toEqual([name, undefined]);
		const isSchema = new Ajv2020({ strict: false }).compile({ ...schema });
		expect([name, example, isSchema(example)]).toEqual([name, example, true]);
	}
});

test("crop, focus and background, ids and names have a pattern in the API document, which takes what the service takes and refuses what it ignores", async () => {
	const strings = (await describedParameters()).filter(({ schema }) => schema.type === "string");
	expect(strings.map(({ name }) => name)).toContainValues(["crop", "focus", "background", "tile", "overlay", "dl"]);
	for (const { name, schema } of strings) {
		const takes = PARAMETER_LIST.find((one) => one.name === name)?.takes;
		if (!takes || takes.kind === "name") continue;
		const pattern = new RegExp(schema.pattern ?? "never");
		for (const text of [...textsOf(takes), ...(SPELLINGS[takes.kind] ?? [])]) {
			const isTaken = parseValue(takes, text) !== undefined;
			// No pattern says how large a channel is, or which words are colours.
			if (isTaken || !PLAUSIBLE_COLOUR.test(text))
				expect([name, text, pattern.test(text)]).toEqual([name, text, isTaken]);
		}
	}
});

test("the API document alone says enough to ask for each bound of each parameter", async () => {
	const described = await describedParameters();
	expect(described.map(({ name }) => name)).toEqual(PARAMETER_LIST.map(({ name }) => name));
	for (const { name, schema } of described) {
		const statuses = triedOf(schema).map(async (text) => {
			const answer = await service.open(`${image.url}?${new URLSearchParams({ [name]: text })}`);
			return [text, answer.status];
		});
		expect([name, await Promise.all(statuses)]).toEqual([name, triedOf(schema).map((text) => [text, 200])]);
	}
});
