import { expect, test } from "bun:test";
import { documentOf } from "../../support/documents.ts";
import { hostileJsonOf, type JsonDocument } from "../../support/hostile-json.ts";

test("hostile bodies are JSON, of every operation that takes it, and shorter than what it takes", async () => {
	const document = await documentOf<JsonDocument>("current");
	const taking = Object.values(document.paths)
		.flatMap((methods) => Object.values(methods))
		.filter(({ requestBody }) => requestBody?.content?.["application/json"]);
	const bodies = hostileJsonOf(document);
	// An address with a fragment is another description of the same call.
	expect(new Set(bodies.map(({ route }) => route)).size).toBeGreaterThan(taking.length - 3);
	const labels = bodies.filter(({ route }) => route === "POST /v1/imports").map(({ label }) => label);
	expect(labels).toContain("items: 200,000 wrong items");
	expect(labels).toContain("items.0: 50,000 unknown names");
	for (const { body } of bodies.filter(({ route }) => route === "POST /v1/tokens")) {
		const text = body();
		expect(() => JSON.parse(text)).not.toThrow();
		expect(Buffer.byteLength(text)).toBeLessThan(500_000);
	}
});
