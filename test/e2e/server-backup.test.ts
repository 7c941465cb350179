import { describe, expect, test } from "bun:test";
import { libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { plain } from "../support/pictures.ts";
import { removeData, startProcess } from "../support/process.ts";
import { form } from "../support/requests.ts";
import { type S3Server, s3ServerNote, startS3Server, withoutS3Server } from "../support/s3-server.ts";
import { keyIn } from "../support/whole-service.ts";

/* What docs/operate/backup.md says of a database on a server of its own: that server copies each change to a bucket, and brings all back from there. */

/** The settings of that page, for the server's copies. */
function copying({ bucket }: S3Server): Record<string, string> {
	return {
		SQLD_ENABLE_BOTTOMLESS_REPLICATION: "true",
		SQLD_CHECKPOINT_INTERVAL_S: "10",
		LIBSQL_BOTTOMLESS_DATABASE_ID: "svc",
		LIBSQL_BOTTOMLESS_BUCKET: bucket.bucket,
		LIBSQL_BOTTOMLESS_ENDPOINT: bucket.endpoint,
		LIBSQL_BOTTOMLESS_AWS_DEFAULT_REGION: bucket.region,
		LIBSQL_BOTTOMLESS_AWS_ACCESS_KEY_ID: bucket.accessKeyId,
		LIBSQL_BOTTOMLESS_AWS_SECRET_ACCESS_KEY: bucket.secretAccessKey,
		LIBSQL_BOTTOMLESS_BATCH_INTERVAL_SECS: "1",
	};
}

/** Until all that was written is copied: of a copy that comes next a part may have begun before; the one after it is whole. */
async function copied(copies: S3Server): Promise<void> {
	const names = async () => (await copies.keys()).toSorted().join();
	let seen = await names();
	for (let come = 0; come < 2; ) {
		await Bun.sleep(250);
		const now = await names();
		if (now !== seen) come++;
		seen = now;
	}
}

/** A service on that database, until it is killed and its disk is lost. */
async function serve(env: Readonly<Record<string, string>>) {
	const server = await startProcess(env);
	const end = async () => {
		server.process.kill("SIGKILL");
		await server.process.exited;
		await removeData(server.dataDir);
	};
	await server.ready();
	return { ...server, [Symbol.asyncDispose]: end };
}

describe.skipIf(withoutLibsql || withoutS3Server)(`a database server that copies${libsqlNote}${s3ServerNote}`, () => {
	test("and loses its disk brings back all that was copied: each picture, and the key that stored it", async () => {
		await using copies = await startS3Server();
		await using store = await startS3Server();
		const stored: { readonly id: string; readonly width: number }[] = [];
		let headers = {};
		{
			await using lost = await startLibsql([], copying(copies));
			await using before = await serve({ ...store.env, SVC_DATABASE_URL: lost.url });
			headers = { Authorization: `Bearer ${keyIn(before.stdout())}` };
			for (let number = 0; number < 5; number++) {
				const body = form(await plain(40 + number, 30), `${number}.png`);
				const answer = await fetch(`${before.baseUrl}/v1/images`, { method: "POST", headers, body });
				expect(answer.status).toBe(201);
				stored.push((await answer.json()) as { id: string; width: number });
			}
			await copied(copies);
		}

		await using server = await startLibsql([], copying(copies));
		await using after = await serve({ ...store.env, SVC_DATABASE_URL: server.url });
		for (const { id, width } of stored) {
			const answer = await fetch(`${after.baseUrl}/v1/images/${id}`, { headers });
			const image = (await answer.json()) as { width: number; url: string };
			expect([answer.status, image.width]).toEqual([200, width]);
			expect((await fetch(`${after.cdnUrl}${new URL(image.url).pathname}`)).status).toBe(200);
		}
	}, 120_000);
});
