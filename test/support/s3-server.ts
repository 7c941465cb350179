import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bucket } from "@svc/storage/s3/requests";
import { S3Client } from "bun";
import { freePorts } from "./ports.ts";

/*
 * SeaweedFS, which is to be had built; or versitygw, that of the deployment files, where VERSITYGW names it: making that one takes minutes.
 */

const versitygw = [process.env.VERSITYGW].find((one) => one !== undefined && existsSync(one));
const weed = [process.env.SEAWEEDFS, Bun.which("weed")].find((one) => typeof one === "string" && existsSync(one));

/** For the titles of tests that need a real S3 server: a run without it says so. */
export const s3ServerNote =
	(versitygw ?? weed)
		? ""
		: " (SKIPPED: no weed, SeaweedFS, on the PATH, and neither SEAWEEDFS nor VERSITYGW names one)";

export const withoutS3Server = (versitygw ?? weed) === undefined;

export interface S3Server extends AsyncDisposable {
	/** Empty at the start. */
	readonly bucket: Bucket;
	/** The variables of a service that keeps its pictures there. */
	readonly env: Readonly<Record<string, string>>;
	/** Of all objects, as another client than the product's lists them. */
	keys(): Promise<readonly string[]>;
}

const START_TRIES = 1_200;
const PAUSE_MS = 50;
/** Where the program keeps its sockets, which it leaves there. */
const SOCKETS = "/tmp";

/** A real S3 server on loopback, with a folder of its own. @throws Error where there is none */
export async function startS3Server(): Promise<S3Server> {
	const folder = await mkdtemp(join(tmpdir(), "svc-s3-server-"));
	const ports = await freePorts(8);
	const address = `127.0.0.1:${ports[0]}`;
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
	const { child, makeBucket } = await startProgram(folder, ports, bucket);
	const end = async () => {
		child.kill("SIGKILL");
		await child.exited;
		await rm(folder, { recursive: true, force: true });
		for (const name of await readdir(SOCKETS))
			if (ports.includes(Number(/^seaweedfs-.*-(\d+)\.sock$/.exec(name)?.[1]))) await rm(join(SOCKETS, name));
	};
	const client = new S3Client(bucket);
	for (let tries = 0; tries < START_TRIES && child.exitCode === null; tries++) {
		if (await takesObjects(client, makeBucket))
			return { bucket, env, keys: () => keysOf(client), [Symbol.asyncDispose]: end };
		await Bun.sleep(PAUSE_MS);
	}
	await end();
	throw new Error(`the S3 server takes nothing at ${address}`);
}

interface Started {
	readonly child: Bun.Subprocess;
	makeBucket(): Promise<unknown>;
}

async function startProgram(folder: string, ports: readonly number[], bucket: Bucket): Promise<Started> {
	const start = (command: readonly string[], env: Readonly<Record<string, string>>) =>
		Bun.spawn([...command], { cwd: folder, env: { ...env }, stdio: ["ignore", "ignore", "ignore"] });
	if (versitygw !== undefined) {
		await mkdir(join(folder, bucket.bucket));
		const command = [versitygw, "--quiet", "--port", `127.0.0.1:${ports[0]}`, "posix", folder];
		const child = start(command, { ROOT_ACCESS_KEY: bucket.accessKeyId, ROOT_SECRET_KEY: bucket.secretAccessKey });
		return { child, makeBucket: async () => undefined };
	}
	if (!weed) throw new Error("there is neither SeaweedFS nor versitygw");
	await mkdir(join(folder, "data"));
	await writeFile(join(folder, "keys.json"), JSON.stringify({ identities: [identityOf(bucket)] }));
	const child = start([weed, ...argumentsOfWeed(folder, ports)], { HOME: folder });
	// A folder of this name is a bucket, and may be there already.
	const bucketFolder = `http://127.0.0.1:${ports[1]}/buckets/${bucket.bucket}/`;
	return { child, makeBucket: () => fetch(bucketFolder, { method: "POST" }) };
}

function identityOf({ accessKeyId: accessKey, secretAccessKey: secretKey }: Bucket) {
	const actions = ["Admin", "Read", "Write", "List", "Tagging"];
	return { name: "tester", credentials: [{ accessKey, secretKey }], actions };
}

/** All of it in one process: S3, over names of files, over what keeps them, and who knows where it lies. */
function argumentsOfWeed(folder: string, ports: readonly number[]): readonly string[] {
	const [s3, filer, s3Grpc, filerGrpc, master, masterGrpc, volume, volumeGrpc] = ports;
	const parts = {
		...{ dir: join(folder, "data"), ip: "127.0.0.1", "ip.bind": "127.0.0.1" },
		...{ s3: true, "s3.config": join(folder, "keys.json"), "s3.iam": false, "s3.port": s3, "s3.port.grpc": s3Grpc },
		...{ "s3.port.iceberg": 0, "s3.port.lance": 0, "filer.port": filer, "filer.port.grpc": filerGrpc },
		...{ "master.port": master, "master.port.grpc": masterGrpc, "master.telemetry": false },
		...{ "master.volumeSizeLimitMB": 64, "volume.port": volume, "volume.port.grpc": volumeGrpc, "volume.max": 20 },
	};
	return ["server", ...Object.entries(parts).map(([name, value]) => `-${name}=${value}`)];
}

/** The parts of SeaweedFS find each other a few seconds after it has started. */
async function takesObjects(client: S3Client, makeBucket: Started["makeBucket"]): Promise<boolean> {
	try {
		await makeBucket();
		await client.write("probe", "a picture");
		await client.delete("probe");
		return true;
	} catch {
		return false;
	}
}

async function keysOf(client: S3Client): Promise<readonly string[]> {
	const keys: string[] = [];
	for (let startAfter = ""; ; ) {
		const { contents = [], isTruncated } = await client.list(startAfter === "" ? {} : { startAfter });
		keys.push(...contents.map(({ key }) => key));
		startAfter = keys.at(-1) ?? "";
		if (!isTruncated) return keys;
	}
}
