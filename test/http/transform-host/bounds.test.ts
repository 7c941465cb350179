import { beforeAll, expect, test } from "bun:test";
import { PARAMETER_LIST } from "@svc/images/transform/parameters";
import type { Image } from "@svc/sdk/shapes";
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

/** A query parameter as the API document has it. */
interface Described {
	readonly name: string;
	readonly in: string;
	readonly schema: Schema;
}

interface Schema {
	readonly type?: string;
	readonly enum?: readonly unknown[];
	readonly anyOf?: readonly Schema[];
	readonly minimum?: number;
	readonly maximum?: number;
}

/** The smallest and the largest that a schema allows, and what lies beyond. */
function triedOf({ enum: words = [], anyOf = [], minimum, maximum }: Schema): readonly string[] {
	const bounds = [minimum, maximum].flatMap((bound) => (bound === undefined ? [] : [bound - 1, bound, bound + 1]));
	return [...[...words, ...bounds, "?"].map(String), ...anyOf.flatMap(triedOf)];
}

test("the API document alone says enough to ask for each bound of each parameter", async () => {
	const document = (await (await service.api("/openapi.json")).json()) as {
		readonly paths: Readonly<Record<string, { readonly get: { readonly parameters: readonly Described[] } }>>;
	};
	const described = document.paths["/{team_hash}/{filename}"]?.get.parameters.filter((one) => one.in === "query");
	expect(described?.map(({ name }) => name)).toEqual(PARAMETER_LIST.map(({ name }) => name));
	for (const { name, schema } of described ?? []) {
		const statuses = triedOf(schema).map(async (text) => {
			const answer = await service.open(`${image.url}?${new URLSearchParams({ [name]: text })}`);
			return [text, answer.status];
		});
		expect([name, await Promise.all(statuses)]).toEqual([name, triedOf(schema).map((text) => [text, 200])]);
	}
});
