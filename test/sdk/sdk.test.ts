import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Client, createClient } from "@svc/sdk/client";
import { ApiError } from "@svc/sdk/failure";
import { imageUrl } from "@svc/sdk/transform";
import sharp from "sharp";
import { corners, plain } from "../support/pictures.ts";
import { type StartedService, startService } from "../support/service.ts";

let service: StartedService;
let client: Client;

beforeAll(async () => {
	service = await startService();
	client = createClient({ baseUrl: service.baseUrl, apiKey: service.apiKey });
});

afterAll(() => service.stop());

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
	const error = await promise.catch((thrown: unknown) => thrown);
	return error instanceof ApiError ? error.code : error;
}

async function picture(width = 30, height = 20): Promise<Blob> {
	return new Blob([await corners(width, height)]);
}

describe("images", () => {
	test("an upload keeps every option and is served from its address [sdk.create]", async () => {
		const image = await client.images.upload(await picture(), {
			filename: "four.png",
			caption: "Corners",
			ttl: "7d",
			publishedAt: new Date("2020-01-02T03:04:05.000Z"),
			metadata: { by: "me" },
			labels: { suite: "create" },
		});
		const { object, status, filename, format, width, height, caption, published_at, metadata, labels, nsfw } = image;
		expect({ object, status, filename, format, width, height, caption, published_at, metadata, labels, nsfw }).toEqual({
			object: "image",
			status: "ready",
			filename: "four.png",
			format: "png",
			width: 30,
			height: 20,
			caption: "Corners",
			published_at: "2020-01-02T03:04:05.000Z",
			metadata: { by: "me" },
			labels: { suite: "create" },
			nsfw: false,
		});
		expect(image.expires_at).not.toBeNull();
		expect(await client.images.get(image.id)).toEqual(image);
		expect((await fetch(image.url)).headers.get("content-type")).toBe("image/png");
	});

	test("a stream arrives whole [sdk.create-stream]", async () => {
		const blob = await picture(31, 21);
		expect((await client.images.upload(blob.stream())).width).toBe(31);
	});

	test("a stream that is opened anew and sent under the same key makes one image", async () => {
		const blob = await picture(32, 22);
		const options = { idempotencyKey: "sdk-create-stream", filename: "s.png", labels: { suite: "stream" } };
		const first = await client.images.upload(blob.stream(), options);
		const second = await client.images.upload(() => blob.stream(), { ...options, onProgress: () => undefined });
		expect([second.id, (await client.images.upload(blob, options)).id]).toEqual([first.id, first.id]);
		expect((await client.images.list({ labels: { suite: "stream" } })).data).toHaveLength(1);
	});

	test("one Idempotency-Key makes one image, and another body under it is a conflict [sdk.create-again]", async () => {
		const blob = await picture();
		const replayed: (string | null)[] = [];
		const options = {
			idempotencyKey: "sdk-create-again",
			labels: { suite: "again" },
			onAnswer: ({ headers }: { headers: Headers }) => replayed.push(headers.get("idempotent-replayed")),
		};
		const first = await client.images.upload(blob, options);
		expect((await client.images.upload(blob, options)).id).toBe(first.id);
		expect(replayed).toEqual([null, "true"]);
		expect((await client.images.list({ labels: { suite: "again" } })).data).toHaveLength(1);
		expect(await codeOf(client.images.upload(blob, { ...options, caption: "other" }))).toBe("idempotency_key_conflict");
	});

	test("a key whose image was deleted is refused instead of replayed [sdk.create-gone]", async () => {
		const blob = await picture();
		const { id } = await client.images.upload(blob, { idempotencyKey: "sdk-create-gone" });
		await client.images.delete(id);
		expect(await codeOf(client.images.upload(blob, { idempotencyKey: "sdk-create-gone" }))).toBe(
			"idempotency_recovery_conflict",
		);
	});

	test("all images of a filter come once each, newest first, whatever the page size [sdk.list-all]", async () => {
		const blob = await picture();
		const made: string[] = [];
		for (let second = 0; second < 5; second++) {
			const labels = { suite: "list", ...(second % 2 === 0 && { even: "yes" }) };
			made.push((await client.images.upload(blob, { labels, publishedAt: 1_600_000_000 + second })).id);
		}
		const walk = async (options: Parameters<Client["images"]["all"]>[0]) => {
			const ids: string[] = [];
			for await (const image of client.images.all(options)) ids.push(image.id);
			return ids;
		};
		const newestFirst = [...made].reverse();
		expect(await walk({ labels: { suite: "list" }, limit: 2 })).toEqual(newestFirst);
		expect(await walk({ labels: { suite: ["list", "none"], even: null } })).toEqual([made[3], made[1]] as string[]);
		expect(await walk({ ids: made.slice(0, 2) })).toEqual(newestFirst.slice(-2));
		expect(await walk({ labels: { suite: "absent" } })).toEqual([]);
	});

	test("an update changes what is given; a condition that does not hold is a state_conflict [sdk.update]", async () => {
		const { id } = await client.images.upload(await picture(), { caption: "old", labels: { step: "0", gone: "x" } });
		const changes = { caption: null, ttl: "7d", labels: { step: "1", gone: null }, ifLabels: { step: "0" } };
		const image = await client.images.update(id, changes);
		expect([image.caption, image.labels]).toEqual(["", { step: "1" }]);
		expect(image.expires_at).not.toBeNull();
		expect(await codeOf(client.images.update(id, changes))).toBe("state_conflict");
		expect(await client.images.get(id)).toEqual(image);
	});

	test("batches update and delete what they can and tell the rest [sdk.many]", async () => {
		const [one, two] = [await client.images.upload(await picture()), await client.images.upload(await picture())];
		const result = await client.images.updateMany([one.id, "unknown", two.id], { caption: "both" });
		expect(result.data).toEqual([one, two].map((image) => ({ ...image, caption: "both" })));
		expect(result.errors.map(({ id, error }) => [id, error.code])).toEqual([["unknown", "not_found"]]);
		const gone = await client.images.deleteMany([one.id, two.id]);
		expect([gone.data.map(({ id, deleted }) => [id, deleted]), gone.errors]).toEqual([
			[
				[one.id, true],
				[two.id, true],
			],
			[],
		]);
		expect(await codeOf(client.images.get(one.id))).toBe("not_found");
	});

	test("a tombstone once, not_found afterwards [sdk.delete]", async () => {
		const { id } = await client.images.upload(await picture());
		expect(await client.images.delete(id)).toEqual({ id, object: "image", deleted: true });
		expect(await codeOf(client.images.delete(id))).toBe("not_found");
		expect(await codeOf(client.images.get(id))).toBe("not_found");
	});

	test("a refusal names the fields and carries a request id [sdk.invalid]", async () => {
		const error = await client.images.upload(await picture(), { ttl: "1s" }).catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(ApiError);
		const { status, code, details, requestId } = error as ApiError;
		expect([status, code, Object.keys(details ?? {})]).toEqual([422, "validation_error", ["ttl"]]);
		expect(requestId).toMatch(/./);
		expect(await codeOf(client.images.upload(new Blob(["no picture"])))).toBe("validation_error");
	});
});

describe("transforms", () => {
	test("the built address is understood by the transform host [sdk.transform]", async () => {
		const image = await client.images.upload(new Blob([await plain(80, 40)]));
		const response = await fetch(
			imageUrl(image, { w: 20, h: 20, fit: "cover", format: "webp", background: "#ff0000" }),
		);
		const { width, height, format } = await sharp(await response.arrayBuffer()).metadata();
		expect([response.status, width, height, format]).toEqual([200, 20, 20, "webp"]);
	});
});

describe("the key", () => {
	test("tells what it reaches, and no more of itself than recognises it [sdk.key]", async () => {
		const key = await client.key.get();
		expect([key.object, key.reach, [...key.permissions].sort(), key.app.object]).toEqual([
			"key",
			"app",
			["read", "write"],
			"app",
		]);
		expect(service.apiKey.endsWith(key.last4)).toBe(true);
		expect(JSON.stringify(key)).not.toContain(service.apiKey);
	});

	test("usage counts what is stored [sdk.usage]", async () => {
		const before = await client.usage.get();
		await client.images.upload(await picture());
		const after = await client.usage.get();
		expect(after.totals.images_stored - before.totals.images_stored).toBe(1);
		expect(after.monthly.uploads - before.monthly.uploads).toBe(1);
	});

	test("a wrong key is unauthorized, a user who is not connected user_forbidden, a blank one invalid [sdk.refused]", async () => {
		const stranger = createClient({ baseUrl: service.baseUrl, apiKey: "svc_sk_test_unknown" });
		expect(await codeOf(stranger.usage.get())).toBe("unauthorized");
		expect(await codeOf(client.usage.get({ user: "" }))).toBe("validation_error");
		expect(await codeOf(client.usage.get({ user: `usr_${"0".repeat(22)}` }))).toBe("user_forbidden");
	});
});
