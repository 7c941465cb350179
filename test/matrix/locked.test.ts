import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { asRequestFailure, DATABASE_FAILURES, statusOf } from "@svc/api/kit/refusals/failure";
import { DatabaseError } from "@svc/base/database-error";
import { Failure } from "@svc/base/failure";
import { lockFromOutside } from "../support/outside-lock.ts";
import { plain } from "../support/pictures.ts";
import { form, send, uploaded } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";
import { APP_ROWS } from "./app-rows.ts";
import { findStrangers, newCast } from "./cast.ts";
import { READY, secretFor } from "./ready.ts";
import type { Row } from "./row.ts";
import { SERVICE_ROWS } from "./service-rows.ts";

/* Every operation that changes anything, while another process holds the database file's lock: nothing is changed, and each says so. */

let service: OpenService;
beforeAll(async () => {
	service = await openService({ SVC_SIGN_IN_IP_RATE: "0" });
});
afterAll(() => service.close());

/** Those that make an image, or another file of one. */
const UPLOADS = /^POST \/v1\/(images|uploads\/:\w+|images\/:\w+\/(copy|replace))$/;
/** The row names nothing that could be changed, or the call changes nothing. */
const IDLE: readonly string[] = ["POST /v1/operator/trash/restore", "POST /v1/images/:id/sign"];

function changesIn(rows: readonly Row[]): readonly Row[] {
	const changes = rows.filter(
		({ route, status }) => !route.startsWith("GET ") && (status < 300 || route in READY) && !IDLE.includes(route),
	);
	return [...new Map(changes.map((row) => [row.route, row])).values()];
}

async function prepared(row: Row, strangers: Awaited<ReturnType<typeof findStrangers>>) {
	const cast = await newCast(service, strangers);
	const ready = READY[row.route];
	const { path, body, secret } = ready
		? await ready(cast)
		: { ...(await row.attempt(cast)), secret: row.audience === "anybody" ? "" : secretFor(row.audience, cast) };
	const [method = ""] = row.route.split(" ");
	return () => send(service, method, path, body, { key: secret, headers: { "X-Svc-App": cast.app.id } });
}

test("500 of its own code for each operation that is known to have changed nothing, with Retry-After and a message that says so", async () => {
	const strangers = await findStrangers(service);
	const calls = new Map<string, () => Promise<Response>>();
	for (const row of changesIn([...APP_ROWS, ...SERVICE_ROWS])) calls.set(row.route, await prepared(row, strangers));
	const file = await plain(6, 6);
	const image = await uploaded(service, file);
	calls.set("PATCH /v1/images/batch", () =>
		send(service, "PATCH", "/v1/images/batch", { ids: [image.id], caption: "new" }),
	);
	calls.set("DELETE /v1/images/batch", () => send(service, "DELETE", "/v1/images/batch", { ids: [image.id] }));
	const create = { method: "POST", body: form(file, "a.png") };
	calls.set("POST /v1/images", () =>
		service.api("/v1/images", { ...create, headers: { Authorization: `Bearer ${service.apiKey}` } }),
	);
	await using _ = await lockFromOutside(pathToFileURL(join(service.dataDir, "svc.db")).href);
	const answers = await Promise.all([...calls].map(async ([route, call]) => [route, await call()] as const));
	const told = await Promise.all(answers.map(([route, answer]) => toldBy(route, answer)));
	expect(told.filter((one) => one !== undefined)).toEqual([]);
	expect(answers.length).toBeGreaterThan(80);
}, 120_000);

/** What is not as the table has it. */
async function toldBy(route: string, answer: Response) {
	const body = (await answer.json()) as Told;
	const error = body.error ?? body.errors?.[0]?.error;
	const told = { status: answer.status, code: error?.code, message: error?.message };
	const { known } = DATABASE_FAILURES[kindOf(route)];
	const isItem = body.error === undefined;
	const isRight =
		answer.status === (isItem ? 207 : 500) &&
		error?.code === known &&
		/nothing was (changed|kept)/.test(error.message) &&
		(isItem || answer.headers.get("retry-after") === "2");
	return isRight ? undefined : { route, ...told };
}

function kindOf(route: string): keyof typeof DATABASE_FAILURES {
	if (UPLOADS.test(route)) return "upload";
	return route.startsWith("DELETE") ? "deletion" : "change";
}

interface Told {
	readonly error?: { readonly code: string; readonly message: string };
	readonly errors?: readonly { readonly error: { readonly code: string; readonly message: string } }[];
}

test("what is not known, or failed after something was changed, is 503 and says where to look; a read is 503 whatever it is", () => {
	const answered = (method: string, written: "no" | "unknown", changed: boolean) => {
		const failure = asRequestFailure(
			new DatabaseError(written === "no" ? "SQLITE_BUSY" : "UNKNOWN", written, undefined),
			{
				method,
				seenAt: "/v1/apps",
				changed,
			},
		);
		return [
			statusOf(failure),
			failure.code,
			failure.retryAfterSeconds,
			/ GET \/v1\/apps shows it\.$/.test(failure.message),
		];
	};
	for (const method of ["POST", "PATCH", "PUT", "DELETE"]) {
		const known = DATABASE_FAILURES[method === "DELETE" ? "deletion" : "change"].known;
		expect(answered(method, "no", false)).toEqual([500, known, 2, false]);
		expect(answered(method, "no", true)).toEqual([503, "server_error", 2, true]);
		expect(answered(method, "unknown", false)).toEqual([503, "server_error", 2, true]);
	}
	for (const written of ["no", "unknown"] as const)
		expect(answered("GET", written, false)).toEqual([503, "server_error", 2, false]);
	// A bug is none of these, and what a room has said stands.
	expect(asRequestFailure(new TypeError("a bug"), { method: "PATCH", seenAt: undefined, changed: false }).code).toBe(
		"server_error",
	);
	const said = new Failure("upload_failed", undefined, { cause: new DatabaseError("SQLITE_BUSY", "no", undefined) });
	expect(asRequestFailure(said, { method: "POST", seenAt: undefined, changed: true })).toBe(said);
});
