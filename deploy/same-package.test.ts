import { expect, test } from "bun:test";
import { cp, mkdtemp, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cliPackage } from "./cli-package.ts";
import { ROOT } from "./package-files.ts";
import { sdkPackage } from "./sdk-package.ts";
import { tarball } from "./tarball.ts";

/* A version names one byte string: who locks a package by its digest gets the same one from every service of that version. */

const digest = (bytes: Uint8Array) => Bun.hash(bytes).toString(36);

test("equal sources make equal packages, wherever they lie and whatever the time of a file is", async () => {
	const folder = await mkdtemp(join(tmpdir(), "svc-same-"));
	try {
		await cp(join(ROOT, "packages", "sdk"), join(folder, "packages", "sdk"), { recursive: true });
		await cp(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
		await utimes(join(folder, "packages", "sdk", "client.ts"), new Date(0), new Date(0));
		const [here, there] = [await sdkPackage(), await sdkPackage({ root: folder })];
		expect([there.file, digest(there.bytes)]).toEqual([here.file, digest(here.bytes)]);
	} finally {
		await rm(folder, { recursive: true });
	}
});

test("the packages are the same, whichever folder they are made from", async () => {
	const made = [sdkPackage, cliPackage].map(async (make) => digest((await make()).bytes));
	const program = `
		import { cliPackage } from ${JSON.stringify(join(import.meta.dirname, "cli-package.ts"))};
		import { sdkPackage } from ${JSON.stringify(join(import.meta.dirname, "sdk-package.ts"))};
		for (const make of [sdkPackage, cliPackage]) console.log(Bun.hash((await make()).bytes).toString(36));`;
	const elsewhere = Bun.spawnSync([process.execPath, "-e", program], { cwd: tmpdir(), env: {} });
	expect(elsewhere.stdout.toString().trim().split("\n")).toEqual(await Promise.all(made));
}, 60_000);

test("what is packed is a tar file as others read it, in the order of the names, without times and owners", async () => {
	const text = (size: number) => new TextEncoder().encode("a".repeat(size));
	const packed = tarball(
		new Map([
			["b.js", text(70_000)],
			["a/c.js", text(512)],
			["empty", text(0)],
		]),
	);
	const listed = Bun.spawnSync(["tar", "--list", "--verbose", "--gzip", "--full-time", "--utc", "--numeric-owner"], {
		stdin: packed,
	});
	expect(listed.stderr.toString()).toBe("");
	expect(
		listed.stdout
			.toString()
			.trim()
			.split("\n")
			.map((line) => line.replace(/\s+/g, " ")),
	).toEqual([
		"-rw-r--r-- 0/0 512 1985-10-26 08:15:00 package/a/c.js",
		"-rw-r--r-- 0/0 70000 1985-10-26 08:15:00 package/b.js",
		"-rw-r--r-- 0/0 0 1985-10-26 08:15:00 package/empty",
	]);
	expect(Bun.gunzipSync(packed).length % 512).toBe(0);
});
