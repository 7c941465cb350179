import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { freePorts } from "../../support/ports.ts";
import { type PeerProcess, startPeer } from "./peer.ts";

/*
 * PocketBase with a collection that has the fields of an image. The one on the PATH should be that of `build-pocketbase.ts`, which syncs each commit, as is
 * done here: by default it syncs hardly any.
 */

const program = Bun.which("pocketbase");

export interface PocketBase extends Pick<PeerProcess, "pid">, AsyncDisposable {
	/** The address of the collection's records. */
	readonly records: string;
	/** Of one record; all are alike. */
	readonly id: string;
	readonly headers: Readonly<Record<string, string>>;
	/** Creates one more, and resolves with its id. */
	create(): Promise<string>;
}

const field = (type: string, ...names: readonly string[]) => names.map((name) => ({ type, name }));

/** As a key sees the images of its own storage, and no others. */
const OWN = "owner = @request.auth.id";
const RULES = { listRule: OWN, viewRule: OWN, createRule: OWN, updateRule: OWN, deleteRule: OWN };

const COLLECTION = {
	name: "images",
	type: "base",
	...RULES,
	fields: [
		{ type: "relation", name: "owner", collectionId: "_pb_users_auth_", maxSelect: 1 },
		...field("file", "file"),
		...field("text", "filename", "format", "caption"),
		...field("number", "width", "height", "bytes"),
		...field("date", "published_at", "expires_at"),
		...field("json", "metadata", "labels"),
		...field("bool", "nsfw"),
		{ type: "autodate", name: "created", onCreate: true },
	],
	indexes: ["CREATE INDEX images_published ON images (owner, published_at)"],
};

/** Below a temporary folder it takes itself for a run of `go run`, and prints every statement. */
const NOT_IN_DEV = "--dev=false";

/** It keeps migrations beside its data, and would find those of others there. */
const dataIn = (folder: string) => join(folder, "data");

/** Undefined where there is no `pocketbase` on the PATH. */
export async function startPocketBase(
	images: number,
	file: Blob,
	fields: Readonly<Record<string, string>>,
): Promise<PocketBase | undefined> {
	if (!program) return undefined;
	const [port] = await freePorts(1);
	const base = `http://127.0.0.1:${port}`;
	const account = { identity: "bench@example.com", password: randomBytes(16).toString("hex") };
	const peer = await startPeer(
		(folder) => [program, "serve", "--http", `127.0.0.1:${port}`, "--dir", dataIn(folder), NOT_IN_DEV],
		`${base}/api/health`,
	);
	const made = Bun.spawn(
		[program, "superuser", "upsert", account.identity, account.password, "--dir", dataIn(peer.folder)],
		{
			stdio: ["ignore", "ignore", "ignore"],
		},
	);
	if ((await made.exited) !== 0) throw new Error("pocketbase made no superuser");
	const send = async (path: string, body: FormData | object, headers: Readonly<Record<string, string>> = {}) => {
		const json = { "Content-Type": "application/json" };
		const answer = await fetch(`${base}/api${path}`, {
			method: "POST",
			...(body instanceof FormData
				? { body, headers }
				: { body: JSON.stringify(body), headers: { ...headers, ...json } }),
		});
		if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
		return (await answer.json()) as { readonly id: string; readonly token: string };
	};
	const superuser = await send("/collections/_superusers/auth-with-password", account);
	await send("/collections", COLLECTION, { Authorization: superuser.token });
	const { identity: email, password } = account;
	const user = { email, password, passwordConfirm: password };
	const { id: owner } = await send("/collections/users/records", user, { Authorization: superuser.token });
	const { token } = await send("/collections/users/auth-with-password", account);
	const headers = { Authorization: token };
	const create = async () => {
		const body = new FormData();
		for (const [name, value] of Object.entries(fields)) body.append(name, value);
		body.append("owner", owner);
		body.append("file", file, "a.jpg");
		return (await send("/collections/images/records", body, headers)).id;
	};
	let id = "";
	for (let place = 0; place < images; place++) id = await create();
	const { pid } = peer;
	return {
		pid,
		records: `${base}/api/collections/images/records`,
		id,
		headers,
		create,
		[Symbol.asyncDispose]: peer[Symbol.asyncDispose],
	};
}
