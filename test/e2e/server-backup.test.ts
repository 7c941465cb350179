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

describe.skipIf(withoutLibsql || withoutS3Server)(`a database server that copies${libsqlNote}${s3ServerNote}`, () => {
	test("and loses its disk brings back all that was copied: each picture, and the key that stored it", async () => {
		await using copies = await startS3Server();
		await using store = await startS3Server();
		const { bucket } = store;
		const at = (url: string) => ({
			SVC_DATABASE_URL: url,
			SVC_STORAGE: "s3",
			SVC_S3_ENDPOINT: bucket.endpoint,
			SVC_S3_BUCKET: bucket.bucket,
			SVC_S3_REGION: bucket.region,
			SVC_S3_ACCESS_KEY_ID: bucket.accessKeyId,
			SVC_S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
		});
		const lost = await startLibsql([], copying(copies));
		const before = await startProcess(at(lost.url));
		await before.ready();
		const headers = { Authorization: `Bearer ${keyIn(before.stdout())}` };
		const stored = [];
		for (let number = 0; number < 5; number++) {
			const body = form(await plain(40 + number, 30), `${number}.png`);
			const answer = await fetch(`${before.baseUrl}/v1/images`, { method: "POST", headers, body });
			expect(answer.status).toBe(201);
			stored.push((await answer.json()) as { id: string; width: number });
		}
		await copied(copies);
		before.process.kill("SIGKILL");
		await before.process.exited;
		await removeData(before.dataDir);
		await lost[Symbol.asyncDispose]();

		await using server = await startLibsql([], copying(copies));
		const after = await startProcess(at(server.url));
		try {
			await after.ready();
			for (const { id, width } of stored) {
				const answer = await fetch(`${after.baseUrl}/v1/images/${id}`, { headers });
				const image = (await answer.json()) as { width: number; url: string };
				expect([answer.status, image.width]).toEqual([200, width]);
				const address = new URL(image.url);
				expect((await fetch(`${after.cdnUrl}${address.pathname}`)).status).toBe(200);
			}
		} finally {
			after.process.kill("SIGKILL");
			await after.process.exited;
			await removeData(after.dataDir);
		}
	}, 120_000);
});
