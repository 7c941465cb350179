import { expect } from "bun:test";
import sharp from "sharp";
import { corpus, corpusDir } from "./corpus.ts";

/* What a service must do wherever it was put: each of its parts, the native ones and the programs of their own among them, at work once. */

interface Door {
	readonly baseUrl: string;
	readonly cdnUrl: string;
	/** Of the first App. */
	readonly key: string;
	/** Of the operator, where there is one at hand. */
	readonly token?: string;
}

interface Uploaded {
	readonly id: string;
	readonly url: string;
	readonly width: number;
}

/** Keys and tokens as a first start prints them or writes them down. */
export const keyIn = (text: string): string => /svc_sk_test_[0-9A-Za-z]{38}/.exec(text)?.[0] ?? "";

/** The key that a first start prints, which it does a moment after it answers, and after it has written the first operator's profile. */
export async function printedKey(printed: () => string): Promise<string> {
	while (keyIn(printed()) === "") await Bun.sleep(25);
	return keyIn(printed());
}

export async function expectWhole(door: Door): Promise<void> {
	await expectPictures(door);
	if (corpusDir) await expectFound(door);
	await expectPages(door);
	await expectSignIn(door);
	if (door.token) await expectBackup(door.baseUrl, door.token);
}

async function upload(
	{ baseUrl, key }: Pick<Door, "baseUrl" | "key">,
	file: Uint8Array<ArrayBuffer>,
	name: string,
): Promise<Uploaded> {
	const body = new FormData();
	body.append("file", new Blob([file]), name);
	const headers = { Authorization: `Bearer ${key}` };
	const answer = await fetch(`${baseUrl}/v1/images`, { method: "POST", body, headers });
	if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
	return (await answer.json()) as Uploaded;
}

async function expectPictures(door: Door): Promise<void> {
	const noise = sharp({
		create: {
			width: 640,
			height: 480,
			channels: 3,
			background: "#369",
			noise: { type: "gaussian", mean: 128, sigma: 30 },
		},
	});
	const image = await upload(door, new Uint8Array(await noise.jpeg().toBuffer()), "noise.jpg");
	expect(image.width).toBe(640);
	for (const format of ["avif", "webp", "png", "gif"]) {
		const answer = await fetch(`${image.url}?w=64&format=${format}`);
		expect([format, answer.status, answer.headers.get("content-type")]).toEqual([format, 200, `image/${format}`]);
		expect((await sharp(await answer.bytes()).metadata()).width).toBe(64);
	}
}

/** HEIC, faces and subjects: each is found by a program of its own, which must be there as well. */
async function expectFound(door: Door): Promise<void> {
	const heic = await upload(door, await corpus("iphone_grid_p3.heic"), "phone.heic");
	expect((await fetch(`${heic.url}?w=50`)).status).toBe(200);
	const portrait = await upload(door, await corpus("portrait_astronaut.png"), "portrait.png");
	const cut = await fetch(`${portrait.url}?segment=foreground&format=png&w=256`);
	expect((await sharp(await cut.bytes()).stats()).isOpaque).toBe(false);
	const face = await fetch(`${portrait.url}?w=80&h=80&fit=cover&gravity=face&zoom=1`);
	// Where the finder gave no answer the picture is served all the same, and kept by nobody.
	expect([face.status, /max-age=(\d+)/.exec(face.headers.get("cache-control") ?? "")?.[1]]).toEqual([200, "300"]);
}

async function expectPages({ baseUrl }: Door): Promise<void> {
	for (const path of [
		"/docs",
		"/docs/operate/deploy",
		"/docs/api",
		"/docs/reference.css",
		"/openapi.json",
		"/account",
		"/readyz",
		"/healthz",
	]) {
		const answer = await fetch(baseUrl + path);
		expect([path, answer.status]).toEqual([path, 200]);
		await answer.body?.cancel();
	}
}

/** As somebody of an App's tests, whose code everybody knows. */
async function expectSignIn({ baseUrl }: Door): Promise<void> {
	const post = async (path: string, body: object) => {
		const headers = { "Content-Type": "application/json" };
		const answer = await fetch(baseUrl + path, { method: "POST", body: JSON.stringify(body), headers });
		return { status: answer.status, body: (await answer.json()) as Record<string, string> };
	};
	const login = await post("/v1/sessions/login", { email: "anna+svc_test@example.com" });
	const { id, secret } = login.body;
	const session = await post(`/v1/sessions/login/${id}/verify`, { secret, code: "424242" });
	expect([login.status, session.status]).toEqual([202, 201]);
}

/** The copy of the database is made by a program of its own. */
async function expectBackup(baseUrl: string, token: string): Promise<void> {
	const headers = { Authorization: `Bearer ${token}` };
	const ask = async (method: string, path: string) =>
		(await (await fetch(baseUrl + path, { method, headers })).json()) as {
			id: string;
			state: string;
			failure: string | null;
		};
	let job = await ask("POST", "/v1/operator/backups");
	for (let tries = 0; job.state !== "done" && job.state !== "failed" && tries < 2_400; tries++) {
		await Bun.sleep(50);
		job = await ask("GET", `/v1/jobs/${job.id}`);
	}
	expect([job.state, job.failure]).toEqual(["done", null]);
}
