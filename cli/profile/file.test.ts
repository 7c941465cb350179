import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
	chmod,
	mkdir,
	mkdtemp,
	readdir,
	readFile,
	readlink,
	rm,
	stat,
	symlink,
	utimes,
	writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalError } from "@svc/base/processes/exit";
import { changeProfileFile, type ProfileFile } from "./file.ts";

let root = "";
let file = "";

beforeEach(async () => {
	root = await mkdtemp(join(tmpdir(), "svc-profile-file-"));
	file = join(root, "a/b/profiles.json");
});

afterEach(() => rm(root, { recursive: true }));

function adding(name: string) {
	return (before: ProfileFile): ProfileFile => ({
		...before,
		profiles: { ...before.profiles, [name]: { base_url: "http://x", api_key: `svc_sk_test_${name}` } },
	});
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

async function written(content: unknown, mode = 0o600): Promise<void> {
	await mkdir(join(root, "a/b"), { recursive: true });
	await writeFile(file, JSON.stringify(content));
	await chmod(file, mode);
}

describe("changing a profile file", () => {
	test("makes folders and file for the owner alone, whatever the umask, and leaves nothing else [profile-file.new]", async () => {
		const umask = process.umask(0);
		try {
			await changeProfileFile(file, adding("one"));
		} finally {
			process.umask(umask);
		}
		expect(await Promise.all([file, join(root, "a"), join(root, "a/b")].map(modeOf))).toEqual([0o600, 0o700, 0o700]);
		expect(await readdir(join(root, "a/b"))).toEqual(["profiles.json"]);
	});

	test("keeps other profiles, and fields that it does not know, wherever they are [profile-file.keeps]", async () => {
		const other = { base_url: "http://y", token: "svc_pat_y", colour: { red: 1 } };
		await written({ version: 3, current: "other", profiles: { other } }, 0o400);
		await changeProfileFile(file, adding("one"));
		const after = JSON.parse(await readFile(file, "utf8"));
		expect(after).toEqual({
			version: 3,
			current: "other",
			profiles: { other, one: { base_url: "http://x", api_key: "svc_sk_test_one" } },
		});
		expect(await modeOf(file)).toBe(0o400);
	});

	test("changes at the same time all arrive [profile-file.together]", async () => {
		const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
		await Promise.all(names.map((name) => changeProfileFile(file, adding(name))));
		expect(Object.keys(JSON.parse(await readFile(file, "utf8")).profiles).sort()).toEqual(names.sort());
	});

	test("a file that others can read, and one that is none: both stay as they are [profile-file.refuses]", async () => {
		for (const [content, mode] of [
			[{ profiles: {} }, 0o644],
			[{ profiles: { one: { api_key: "svc_sk_test_secret" } } }, 0o600],
			["no object", 0o600],
		] as const) {
			await written(content, mode);
			const error = await changeProfileFile(file, adding("one")).catch((thrown: unknown) => thrown);
			expect(error).toBeInstanceOf(LocalError);
			expect(String(error)).not.toContain("secret");
			expect([await readFile(file, "utf8"), await modeOf(file)]).toEqual([JSON.stringify(content), mode]);
			expect(await readdir(join(root, "a/b"))).toEqual(["profiles.json"]);
		}
	});

	test("what goes wrong in between changes nothing and stands in nobody's way [profile-file.fails]", async () => {
		await changeProfileFile(file, adding("one"));
		const before = await readFile(file, "utf8");
		const failing = changeProfileFile(file, () => {
			throw new TypeError("a bug");
		});
		expect(await failing.catch(String)).toBe("TypeError: a bug");
		expect(await readFile(file, "utf8")).toBe(before);
		await changeProfileFile(file, adding("two"));
	});

	test("what a process left that died is taken away [profile-file.stale]", async () => {
		await changeProfileFile(file, adding("one"));
		await writeFile(`${file}.next`, "half", { mode: 0o600 });
		await utimes(`${file}.next`, 0, 0);
		await changeProfileFile(file, adding("two"));
		expect(Object.keys(JSON.parse(await readFile(file, "utf8")).profiles)).toEqual(["one", "two"]);
	});

	test("three who find what a dead process left lose no change: each one's is there, or refused [profile-file.stale-race]", async () => {
		await changeProfileFile(file, () => ({ profiles: {} }));
		const told: string[] = [];
		for (let round = 0; round < 20; round++) {
			await writeFile(`${file}.next`, "half", { mode: 0o600 });
			await utimes(`${file}.next`, 0, 0);
			const names = ["a", "b", "c"].map((letter) => `${letter}${round}`);
			const ends = await Promise.allSettled(names.map((name) => changeProfileFile(file, adding(name))));
			told.push(...names.filter((_, index) => ends[index]?.status === "fulfilled"));
			for (const end of ends) if (end.status === "rejected") expect(end.reason).toBeInstanceOf(LocalError);
		}
		const { profiles } = JSON.parse(await readFile(file, "utf8"));
		expect(told.filter((name) => !Object.hasOwn(profiles, name))).toEqual([]);
		expect(told.length).toBeGreaterThanOrEqual(20);
	});

	test("a link stays a link [profile-file.link]", async () => {
		await written({ profiles: {} });
		const link = join(root, "link.json");
		await symlink(file, link);
		await changeProfileFile(link, adding("one"));
		expect(await readlink(link)).toBe(file);
		expect(await readFile(file, "utf8")).toContain("svc_sk_test_one");
	});
});
