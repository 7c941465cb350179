import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chown, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BuiltImage, buildImage, type Container, imageBase, imageNote } from "../support/image.ts";
import { freePorts } from "../support/ports.ts";
import { expectWhole, printedKey } from "../support/whole-service.ts";

/* The container image: built by deploy/Dockerfile, and run as a cluster runs it. */

describe.skipIf(imageBase === undefined)(`the container image${imageNote}`, () => {
	let image: BuiltImage | undefined;
	let data: string;
	const running: Container[] = [];
	const built = (): BuiltImage => {
		if (!image) throw new Error("it was not built");
		return image;
	};
	beforeAll(async () => {
		image = await buildImage(imageBase ?? "");
		data = await mkdtemp(join(tmpdir(), "svc-volume-"));
		await chown(data, 65_532, 65_532);
	}, 600_000);
	afterAll(async () => {
		for (const container of running) await container.kill();
		await image?.[Symbol.asyncDispose]();
		await rm(data, { recursive: true, force: true });
	}, 60_000);

	test("runs as nobody, without a shell in between, with a volume and a health check by the runtime itself", async () => {
		const { User, Entrypoint, Cmd, Healthcheck, Volumes, StopSignal, Labels } = built().config;
		expect([User, Entrypoint, Cmd, StopSignal]).toEqual(["65532:65532", ["svc"], ["serve"], "SIGTERM"]);
		expect(Healthcheck.Test).toEqual(["CMD", "bun", "/app/health.ts"]);
		expect(Object.keys(Volumes)).toEqual(["/data"]);
		expect(Labels["org.opencontainers.image.licenses"]).toBe("MIT");
		const volume = await stat(join(built().root, "data"));
		expect([volume.uid, volume.gid]).toEqual([65_532, 65_532]);
	});

	test("does all that the service does on a root that cannot be written, as process 1, and ends in order", async () => {
		const { baseUrl, cdnUrl, env } = await addresses();
		const container = await built().start(data, env);
		running.push(container);
		await answered(container, `${baseUrl}/readyz`);
		const key = await printedKey(container.printed);
		expect((await container.exec("bun", "/app/health.ts")).exit).toBe(0);
		expect((await container.exec("env", "SVC_LISTEN=0.0.0.0:1", "bun", "/app/health.ts")).exit).toBe(1);

		const profile = await Bun.file(join(data, "profiles.json")).json();
		await expectWhole({ baseUrl, cdnUrl, key, token: profile.profiles.local.token });
		expect((await container.exec("id", "-u")).out.trim()).toBe("65532");
		expect((await container.exec("touch", "/app/x", "/tmp/x")).exit).not.toBe(0);
		expect(JSON.parse((await container.exec("svc", "whoami", "--json")).out)).toHaveProperty("object");
		container.signal("SIGTERM");
		expect(await container.exited).toBe(0);
	}, 180_000);

	test("gives a volume that belongs to root away, and is root no longer when it serves", async () => {
		const mounted = await mkdtemp(join(tmpdir(), "svc-mounted-"));
		const { baseUrl, env } = await addresses();
		const container = await built().start(mounted, env, "0:0");
		running.push(container);
		await answered(container, `${baseUrl}/readyz`);
		const { out } = await container.exec("grep", "-E", "^(Uid|Gid|CapEff)", "/proc/1/status");
		expect(out.replaceAll("\t", " ")).toMatch(/^Uid:( 65532){4}\nGid:( 65532){4}\nCapEff: 0+\n$/);
		container.signal("SIGTERM");
		expect(await container.exited).toBe(0);
		await rm(mounted, { recursive: true });
	}, 180_000);
});

async function addresses() {
	const [api, cdn] = await freePorts(2);
	const [baseUrl, cdnUrl] = [`http://localhost:${api}`, `http://localhost:${cdn}`];
	const listen = `0.0.0.0:${api},0.0.0.0:${cdn}`;
	return {
		baseUrl,
		cdnUrl,
		env: { SVC_BASE_URL: baseUrl, SVC_WEB_URL: baseUrl, SVC_CDN_URL: cdnUrl, SVC_LISTEN: listen },
	};
}

async function answered(container: Container, address: string): Promise<void> {
	for (let tries = 0; tries < 4_000; tries++) {
		if ((await fetch(address).catch(() => undefined))?.ok) return;
		await Bun.sleep(25);
	}
	throw new Error(`it does not answer: ${container.printed()}`);
}
