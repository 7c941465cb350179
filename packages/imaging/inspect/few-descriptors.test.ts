import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FEW_DESCRIPTORS, type Look } from "@svc/test/support/few-descriptors";
import { noise } from "@svc/test/support/pictures";

const corpus = process.env.SVC_TEST_CORPUS;

async function looksAt(picture: string): Promise<readonly Look[]> {
	const program = Bun.spawn(
		["sh", "-c", 'ulimit -n 120 && exec "$0" "$1" "$2"', process.execPath, FEW_DESCRIPTORS, picture],
		{
			stdout: "pipe",
			stderr: "inherit",
		},
	);
	return JSON.parse(await new Response(program.stdout).text());
}

async function expectNoBlame(picture: string): Promise<void> {
	const looks = await looksAt(picture);
	const outcomes = looks.map(({ outcome }) => outcome);
	expect([outcomes.at(0), outcomes.at(1), outcomes.at(-1)]).toEqual(["accepted", "failed", "accepted"]);
	expect(looks.filter(({ outcome }) => outcome !== "accepted" && outcome !== "failed")).toEqual([]);
}

test.each(["jpeg", "png", "webp", "avif", "gif"] as const)(
	"a whole %s is never refused for want of descriptors, however few are left, and accepted once there are enough",
	async (format) => {
		const dir = await mkdtemp(join(tmpdir(), "svc-few-"));
		await writeFile(join(dir, "picture"), await noise(300, 200, format));
		await expectNoBlame(join(dir, "picture"));
		await rm(dir, { recursive: true });
	},
);

test.skipIf(corpus === undefined)(
	"neither is a HEIC, whose process cannot be started then (needs SVC_TEST_CORPUS)",
	() => expectNoBlame(join(corpus ?? "", "alpha.heic")),
);
