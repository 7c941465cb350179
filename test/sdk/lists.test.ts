import { afterAll, beforeAll, expect, test } from "bun:test";
import * as lists from "@svc/sdk/lists";
import { type OpenService, openService } from "../support/service.ts";

const { SCOPE_NOUNS, ...others } = lists;
const LISTS = { ...others, scopes: SCOPE_NOUNS.flatMap((noun) => [`${noun}:read`, `${noun}:write`]) };

let service: OpenService;
let documented: ReadonlySet<string>;

beforeAll(async () => {
	service = await openService();
	const answer = await service.open(`${service.deps.addresses.base}/openapi.json`);
	documented = new Set(enumerations(await answer.json()).map((values) => values.join()));
});

afterAll(() => service.close());

/** Every `enum` of the document, however deep. */
function enumerations(node: unknown): readonly (readonly unknown[])[] {
	if (typeof node !== "object" || node === null) return [];
	const own = "enum" in node && Array.isArray(node.enum) ? [node.enum] : [];
	return [...own, ...Object.values(node).flatMap(enumerations)];
}

test.each(Object.entries(LISTS))("[sdk.lists] %s are the words of the API document, in its order", (_name, list) => {
	expect(documented).toContain(list.join());
});
