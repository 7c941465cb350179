import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Bucket } from "@svc/storage/s3/requests";
import { freePorts } from "./ports.ts";

const path = [process.env.VERSITYGW, Bun.which("versitygw")].find((one) => typeof one === "string" && existsSync(one));

/** For the titles of tests that need a real S3 server: a run without it says so. */
export const s3ServerNote = path ? "" : " (SKIPPED: no versitygw on the PATH, and VERSITYGW names none)";

export const withoutS3Server = path === undefined;

export interface S3Server extends AsyncDisposable {
	/** Empty at the start. */
	readonly bucket: Bucket;
	/** The variables of a service that keeps its pictures there. */
	readonly env: Readonly<Record<string, string>>;
	/** Of all objects, as they lie in its folder. */
	keys(): Promise<readonly string[]>;
}

const START_TRIES = 2_400;
const PAUSE_MS = 25;

/** A real S3 server on loopback, which keeps its objects as files in a folder of its own. @throws Error where there is none */
export async function startS3Server(): Promise<S3Server> {
	if (!path) throw new Error("there is no versitygw");
	const folder = await mkdtemp(join(tmpdir(), "svc-s3-server-"));
	await mkdir(join(folder, "pictures"));
	const [port] = await freePorts(1);
	const address = `127.0.0.1:${port}`;
	const bucket = {
		endpoint: `http://${address}`,
		bucket: "pictures",
		region: "us-east-1",
		accessKeyId: "tester",
		secretAccessKey: "a-secret-of-tests",
	};
	const env = {
		SVC_STORAGE: `s3://${address}/${bucket.bucket}?region=${bucket.region}&tls=off`,
		AWS_ACCESS_KEY_ID: bucket.accessKeyId,
		AWS_SECRET_ACCESS_KEY: bucket.secretAccessKey,
	};
	const child = Bun.spawn([path, "--quiet", "--port", address, "--health", "/health", "posix", folder], {
		env: { ROOT_ACCESS_KEY: bucket.accessKeyId, ROOT_SECRET_KEY: bucket.secretAccessKey },
		stdin: "ignore",
		stdout: "ignore",
		stderr: "ignore",
	});
	const end = async () => {
		child.kill("SIGKILL");
		await child.exited;
		await rm(folder, { recursive: true, force: true });
	};
	for (let tries = 0; tries < START_TRIES && child.exitCode === null; tries++) {
		if ((await fetch(`${bucket.endpoint}/health`).catch(() => undefined))?.ok) {
			return { bucket, env, keys: () => filesIn(join(folder, bucket.bucket)), [Symbol.asyncDispose]: end };
		}
		await Bun.sleep(PAUSE_MS);
	}
	await end();
	throw new Error(`versitygw does not answer at ${address}`);
}

async function filesIn(folder: string): Promise<readonly string[]> {
	const found = await readdir(folder, { recursive: true, withFileTypes: true });
	return found
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}
