import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { EXIT, LocalError } from "@svc/base/processes/exit";
import { profilePaths, readCredentials } from "./profile.ts";

const LOCAL = { base_url: "http://localhost:3000", api_key: "svc_sk_test_local" };
const PROD = { base_url: "https://images.example.com/", api_key: "svc_sk_live_prod" };

let root = "";

beforeEach(async () => {
	root = await mkdtemp(join(tmpdir(), "svc-profile-"));
});

afterEach(async () => {
	await rm(root, { recursive: true });
});

function place(env: Readonly<Record<string, string>> = {}) {
	return { env, cwd: join(root, "work"), home: join(root, "home"), checkout: join(root, "checkout") };
}

async function write(path: string, content: unknown, mode = 0o600): Promise<string> {
	const file = join(root, path);
	await mkdir(dirname(file), { recursive: true });
	await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
	await chmod(file, mode);
	return file;
}

async function refusalOf(promise: Promise<unknown>): Promise<LocalError> {
	const error = await promise.catch((thrown: unknown) => thrown);
	if (error instanceof LocalError) return error;
	throw new Error("It was not refused.");
}

test("the file is looked up where it is named, then in the configuration, then where the service wrote it [profile.places]", () => {
	expect(profilePaths(place())).toEqual([
		join(root, "home/.config/svc/profiles.json"),
		join(root, "work/data/profiles.json"),
		join(root, "checkout/data/profiles.json"),
	]);
	expect(profilePaths(place({ XDG_CONFIG_HOME: "/xdg", SVC_DATA_DIR: "var" }))).toEqual([
		"/xdg/svc/profiles.json",
		join(root, "work/var/profiles.json"),
	]);
	expect(profilePaths(place({ SVC_PROFILE_FILE: "mine.json" }))).toEqual([join(root, "work/mine.json")]);
});

describe("which key", () => {
	test("an App that can be no id is refused with the remedy before it becomes part of an address [profile.app]", async () => {
		for (const app of ["", "..", "a/b", "a\nb"]) {
			await write("work/data/profiles.json", { profiles: { local: { ...LOCAL, app } }, current: "local" });
			const { exit, next } = await refusalOf(readCredentials(place(), undefined));
			expect([app, exit, next]).toEqual([app, EXIT.auth, "svc config set app <id> --profile local"]);
		}
	});

	test("SVC_API_KEY wins over the current profile, with its own address [profile.environment]", async () => {
		await write("work/data/profiles.json", { profiles: { local: LOCAL }, current: "local" });
		const key = { SVC_API_KEY: "svc_sk_test_env" };
		expect(await readCredentials(place(key), undefined)).toMatchObject({
			apiKey: "svc_sk_test_env",
			baseUrl: "http://localhost:3000",
		});
		const there = place({ ...key, SVC_BASE_URL: "https://elsewhere.test" });
		expect((await readCredentials(there, undefined)).baseUrl).toBe("https://elsewhere.test");
	});

	test("a profile that is named wins over SVC_API_KEY [profile.named]", async () => {
		await write("work/data/profiles.json", { profiles: { local: LOCAL, prod: PROD }, current: "local" });
		const env = { SVC_API_KEY: "svc_sk_test_env" };
		expect(await readCredentials(place(env), "prod")).toMatchObject({ apiKey: PROD.api_key, baseUrl: PROD.base_url });
	});

	test("the current profile, or the only one; a blank variable is an unset one [profile.current]", async () => {
		await write("home/.config/svc/profiles.json", { profiles: { prod: PROD } });
		await write("checkout/data/profiles.json", { profiles: { local: LOCAL, prod: PROD }, current: "local" });
		expect((await readCredentials(place({ SVC_API_KEY: " " }), undefined)).apiKey).toBe(PROD.api_key);
		expect((await readCredentials(place(), "local")).apiKey).toBe(LOCAL.api_key);
	});

	test("the first file may name a profile of a later one [profile.current-elsewhere]", async () => {
		await write("home/.config/svc/profiles.json", { profiles: { prod: PROD }, current: "local" });
		await write("work/data/profiles.json", { profiles: { local: LOCAL, prod: LOCAL } });
		expect((await readCredentials(place(), undefined)).apiKey).toBe(LOCAL.api_key);
		expect((await readCredentials(place(), "prod")).apiKey).toBe(PROD.api_key);
	});

	test("a broken file in the folder one is in does not stop a profile of one's own [profile.lazy]", async () => {
		await write("home/.config/svc/profiles.json", { profiles: { prod: PROD } });
		await write("work/data/profiles.json", "broken", 0o644);
		expect((await readCredentials(place(), undefined)).apiKey).toBe(PROD.api_key);
	});

	test("a profile may hold a token alone, and SVC_API_KEY may be one; with neither, the remedy is to sign in [profile.person]", async () => {
		const profiles = { me: { base_url: LOCAL.base_url, token: "svc_ses_x" }, none: { base_url: LOCAL.base_url } };
		await write("home/.config/svc/profiles.json", { profiles, current: "me" });
		expect(await readCredentials(place(), undefined)).toMatchObject({ apiKey: undefined, token: "svc_ses_x" });
		const env = place({ SVC_API_KEY: "svc_pat_y" });
		expect(await readCredentials(env, undefined)).toMatchObject({ apiKey: undefined, token: "svc_pat_y" });
		expect((await refusalOf(readCredentials(place(), "none"))).next).toBe("svc login --profile none");
	});

	test("without any key the remedy is named, and where it was looked for [profile.missing]", async () => {
		const error = await refusalOf(readCredentials(place(), undefined));
		expect(error.exit).toBe(EXIT.auth);
		expect(error.message).toContain(join(root, "checkout/data/profiles.json"));
		expect(error.next).toContain("SVC_API_KEY");
		for (const name of ["toString", "prod"]) {
			await write("work/data/profiles.json", { profiles: { local: LOCAL }, current: "local" });
			expect((await refusalOf(readCredentials(place(), name))).message).toContain(`no profile "${name}"`);
		}
	});
});

describe("what is refused", () => {
	test("a file that others can read or write [profile.mode]", async () => {
		for (const mode of [0o644, 0o640, 0o602]) {
			const file = await write("work/data/profiles.json", { profiles: { local: LOCAL } }, mode);
			expect((await refusalOf(readCredentials(place(), undefined))).next).toBe(`chmod 600 '${file}'`);
		}
	});

	test("another address than the profile's own [profile.bound]", async () => {
		await write("work/data/profiles.json", { profiles: { prod: PROD } });
		const error = await refusalOf(readCredentials(place({ SVC_BASE_URL: "https://evil.test" }), undefined));
		expect(error.message).toContain("its key goes nowhere else");
		const same = place({ SVC_BASE_URL: "https://images.example.com" });
		expect((await readCredentials(same, undefined)).apiKey).toBe(PROD.api_key);
	});

	test("no refusal quotes the key [profile.secret]", async () => {
		const secret = "svc_sk_live_verysecret";
		const broken = [
			`{"profiles": {"local": {"api_key": "${secret}"`,
			{ profiles: { local: { api_key: secret } } },
			{ profiles: { local: { base_url: "ftp://x", api_key: secret } } },
			{ profiles: { local: { base_url: "http://x", api_key: `${secret} \n` } } },
		];
		for (const content of broken) {
			await write("work/data/profiles.json", content);
			const error = await refusalOf(readCredentials(place(), undefined));
			expect(`${error.message} ${error.next}`).not.toContain("verysecret");
		}
	});
});
