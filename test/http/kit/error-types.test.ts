import { expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import type { Image } from "@svc/sdk/shapes";
import { addApp, addKey, lockImage, setAppState, setImageStatus, setStorageState } from "../../support/apps.ts";
import { plain } from "../../support/pictures.ts";
import { type Caller, errorOf, send, upload, uploaded } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";

/* Each type of error, from every one of its codes that a caller of the image API can meet. */

const service = serviceFor();
const file = await plain(5, 5);
const image = madeBefore(() => uploaded(service, file, "a.png", { labels: '{"k":"v"}' }));

const failed = async (response: Response | Promise<Response>) => {
	const { type, code } = await errorOf(await response);
	return `${type} ${code}`;
};

test("a request that is wrong in itself is an invalid_request_error, whatever its code [errors.type.invalid_request_error, errors.code.validation_error]", async () => {
	const closing = await addApp(service.database);
	await setStorageState(service.database, closing.storageId, "deleting");
	expect(
		await Promise.all([
			failed(send(service, "GET", "/v1/images?limit=0")),
			failed(send(service, "GET", `/v1/images/${newId("img")}`)),
			failed(upload(service, file, "a.png", {}, { key: closing.key })),
			failed(send(service, "PATCH", `/v1/images/${image.id}`, { if_labels: { k: "other" }, caption: "x" })),
			failed(
				service.api("/v1/images", {
					method: "POST",
					body: "x",
					headers: { Authorization: `Bearer ${service.apiKey}`, "Content-Type": "text/plain" },
				}),
			),
		]),
	).toEqual([
		"invalid_request_error validation_error",
		"invalid_request_error not_found",
		"invalid_request_error workspace_unavailable",
		"invalid_request_error state_conflict",
		"invalid_request_error bad_request",
	]);
});

test("what the caller may not do is a permission_error, whatever its code [errors.type.permission_error]", async () => {
	const app = await addApp(service.database);
	const reader = await addKey(service.database, app, { permissions: ["read"] });
	const bucket = await addKey(service.database, app, { reach: "bucket" });
	const [locked, blocked] = [await uploaded(service, file), await uploaded(service, file)];
	await lockImage(service.database, locked.id);
	await setImageStatus(service.database, blocked.id, "blocked", "dmca");
	const stranger: Caller = { key: app.key, headers: { "X-Svc-User": newId("usr") } };
	const seen = [
		await failed(upload(service, file, "a.png", {}, { key: reader })),
		await failed(send(service, "PATCH", `/v1/images/${locked.id}`, { caption: "x" })),
		await failed(send(service, "GET", `/v1/images/${blocked.id}`)),
		await failed(send(service, "GET", "/v1/images", undefined, stranger)),
	];
	await setAppState(service.database, app.id, "blocked");
	seen.push(await failed(upload(service, file, "a.png", {}, { key: bucket })));
	seen.push(await failed(send(service, "GET", "/v1/images", undefined, { key: app.key })));
	expect(seen).toEqual(
		["forbidden", "media_locked", "media_blocked", "user_forbidden", "app_blocked", "app_suspended"].map(
			(code) => `permission_error ${code}`,
		),
	);
});

test("a key used twice is an idempotency_error, whatever its code [errors.type.idempotency_error]", async () => {
	const keyed: Caller = { headers: { "Idempotency-Key": "once" } };
	const answers = await Promise.all(Array.from({ length: 5 }, () => upload(service, file, "a.png", {}, keyed)));
	const running = answers.find(({ status }) => status === 409);
	const made = (await answers.find(({ status }) => status === 201)?.json()) as Image;
	const seen = [await failed(upload(service, file, "a.png", { caption: "other" }, keyed))];
	if (running) seen.push(await failed(running));
	await send(service, "DELETE", `/v1/images/${made.id}`);
	seen.push(await failed(upload(service, file, "a.png", {}, keyed)));
	expect(seen).toEqual([
		"idempotency_error idempotency_key_conflict",
		"idempotency_error idempotency_key_in_progress",
		"idempotency_error idempotency_recovery_conflict",
	]);
});
