import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const folder = join(import.meta.dirname, "models");

test("each model is the one that its page tells the origin of", async () => {
	const page = await readFile(join(folder, "README.md"), "utf8");
	const models = (await readdir(folder)).filter((name) => name.endsWith(".tflite"));
	expect(models).toHaveLength(2);
	for (const model of models) {
		const digest = createHash("sha256")
			.update(await readFile(join(folder, model)))
			.digest("hex");
		expect(page).toMatch(new RegExp(`\`${model}\`.*\`${digest}\``));
	}
});
