import { describe, expect, test } from "bun:test";
import { configFault as fault } from "../../../test/support/config-fault.ts";
import { readConfig } from "./config.ts";
import { OLD_SETTINGS } from "./old-names.ts";
import { warnings } from "./warnings.ts";

type Environment = Readonly<Record<string, string>>;

/** An environment as earlier releases took it, the same as it is written today, and what the start says of it. */
const SAME: readonly (readonly [Environment, Environment])[] = [
	[
		{
			SVC_STORAGE: "s3",
			SVC_S3_ENDPOINT: "http://S3.example.com:9000/",
			SVC_S3_BUCKET: "pictures",
			SVC_S3_REGION: "eu-west-1",
			SVC_S3_ACCESS_KEY_ID: "AKID",
			SVC_S3_SECRET_ACCESS_KEY: "a/b+c=",
			SVC_BACKUP_TO: "s3://backups/svc",
		},
		{
			SVC_STORAGE: "s3://s3.example.com:9000/pictures?region=eu-west-1&tls=off",
			AWS_ACCESS_KEY_ID: "AKID",
			AWS_SECRET_ACCESS_KEY: "a/b+c=",
			SVC_BACKUP_TO: "s3://s3.example.com:9000/backups/svc?region=eu-west-1&tls=off",
		},
	],
	[
		{
			SVC_BACKUP_TO: "s3://backups",
			SVC_BACKUP_S3_ENDPOINT: "https://b.example.com",
			SVC_BACKUP_S3_REGION: "auto",
			SVC_BACKUP_S3_ACCESS_KEY_ID: "own",
			SVC_BACKUP_S3_SECRET_ACCESS_KEY: "hush",
		},
		{
			SVC_BACKUP_TO: "s3://b.example.com/backups?region=auto",
			AWS_BACKUP_ACCESS_KEY_ID: "own",
			AWS_BACKUP_SECRET_ACCESS_KEY: "hush",
		},
	],
	[
		{ SVC_PURGE: "http", SVC_PURGE_URL: "http://10.0.0.9/{tag}", SVC_PURGE_METHOD: "BAN" },
		{ SVC_PURGE: "ban+http://10.0.0.9/{tag}" },
	],
	[{ SVC_PURGE: "http", SVC_PURGE_URL: "http://10.0.0.9/" }, { SVC_PURGE: "http://10.0.0.9/" }],
	[
		{ SVC_PURGE: "fastly", SVC_PURGE_URL: "https://api.fastly.com/service/a/purge", SVC_PURGE_TOKEN: "hush" },
		{ SVC_PURGE: "fastly://a", SVC_PURGE_TOKEN: "hush" },
	],
	[
		{ SVC_MAIL: "smtp", SVC_SMTP_URL: "smtp://mail.example", SVC_MAIL_FROM: "a@example.com" },
		{ SVC_SMTP_URL: "smtp://mail.example", SVC_MAIL_FROM: "a@example.com" },
	],
	[{ SVC_MAIL: "outbox", SVC_SMTP_URL: "smtp://mail.example" }, {}],
	[{ SVC_PROCESSOR: "simulated", SVC_STRIPE_SECRET_KEY: "sk_test_0123456789" }, {}],
	[
		{
			SVC_PROCESSOR: "stripe",
			SVC_STRIPE_SECRET_KEY: "sk_test_0123456789",
			SVC_STRIPE_WEBHOOK_SECRET: "whsec_0123456789",
		},
		{ SVC_STRIPE_SECRET_KEY: "sk_test_0123456789", SVC_STRIPE_WEBHOOK_SECRET: "whsec_0123456789" },
	],
	[
		{ SVC_KEY_BURST: "9", SVC_CREATE_BURST: "8", SVC_RENDER_QUEUE: "7", SVC_WARM_SIZES: "off", SVC_SCRUB_DAYS: "6" },
		{ SVC_TUNING: "key_burst=9,create_burst=8,render_queue=7,warm_sizes=off,scrub_days=6" },
	],
	[
		{ SVC_PUBLIC_CUTOFF: "2100-01-01", SVC_ANONYMOUS_MAX_BYTES: "5", SVC_MAIL_RATE: "4", SVC_GRACE_DAYS: "2" },
		{ SVC_TUNING: "public_cutoff=2100-01-01,anonymous_max_bytes=5,mail_rate=4,grace_days=2" },
	],
	[
		{ SVC_CDN_SHARED_MAX_AGE: "60", SVC_SEGMENT_MODEL: "/m.onnx", SVC_STRIPE_API_BASE: "https://stripe.example" },
		{ SVC_TUNING: "cdn_shared_max_age=60,segment_model=/m.onnx,stripe_api_base=https://stripe.example" },
	],
];

describe("settings of earlier releases", () => {
	test.each(SAME)("%p go on working, and one warning says what they are called now, without values", (old, now) => {
		const { oldNames, ...config } = readConfig(old);
		const { oldNames: none, ...same } = readConfig(now);
		expect(config).toEqual(same);
		expect(none).toEqual([]);
		const [warning = "", ...more] = warnings(readConfig(old));
		expect(more).toEqual([]);
		const known = new Set(OLD_SETTINGS.map(([name]) => name));
		for (const name of Object.keys(old).filter((one) => known.has(one))) expect(warning).toContain(name);
		for (const name of Object.keys(now).filter((one) => !(one in old))) expect(warning).toContain(name);
		for (const value of Object.values(old).filter((one) => one.length > 6)) expect(warning).not.toContain(value);
	});

	test("beside the new name with the same value they are no fault, and with another value they are", () => {
		for (const [old, now] of SAME) expect([old, fault({ ...old, ...now })]).toEqual([old, ""]);
		for (const [env, told] of [
			[
				{ SVC_S3_ACCESS_KEY_ID: "hush", AWS_ACCESS_KEY_ID: "b" },
				"SVC_S3_ACCESS_KEY_ID (old) and AWS_ACCESS_KEY_ID are both set, and differ: take SVC_S3_ACCESS_KEY_ID away",
			],
			[{ SVC_KEY_BURST: "9", SVC_TUNING: "key_burst=8" }, "SVC_KEY_BURST (old) and key_burst of SVC_TUNING are both"],
			[
				{ SVC_STORAGE: "s3://s3.example.com/pictures?region=eu", SVC_S3_BUCKET: "other" },
				"SVC_S3_BUCKET (old) and SVC_STORAGE are both set",
			],
			[
				{ SVC_BACKUP_TO: "s3://b.example.com/b12?region=eu", SVC_BACKUP_S3_ENDPOINT: "https://c.example.com" },
				"SVC_BACKUP_S3_ENDPOINT (old) and SVC_BACKUP_TO are both set",
			],
			[{ SVC_PURGE: "http://10.0.0.9/a", SVC_PURGE_URL: "http://10.0.0.9/b" }, "SVC_PURGE_URL (old) and SVC_PURGE are"],
			[{ SVC_MAIL: "smtp" }, "SVC_SMTP_URL is not set, which SVC_MAIL=smtp needs"],
			[{ SVC_MAIL: "post" }, "SVC_MAIL is no name any more, and took smtp or outbox: set SVC_SMTP_URL, or do not"],
			[{ SVC_STORAGE: "s3", SVC_S3_ENDPOINT: "https://key:hush@s3.example.com" }, "SVC_STORAGE is"],
			[
				{
					...{ SVC_STORAGE: "s3", SVC_S3_ENDPOINT: "https://key:hush@s3.example.com" },
					...{ SVC_S3_BUCKET: "pictures", SVC_S3_REGION: "eu" },
				},
				"SVC_STORAGE is set; it takes files, or s3://host/bucket",
			],
		] as const) {
			expect(fault(env)).toContain(told);
			expect(fault(env)).not.toContain("hush");
		}
	});

	test("each of them is listed with what takes its place, and none is a setting of today", async () => {
		const { VARIABLES } = await import("./variable-table.ts");
		const today = new Set(VARIABLES.flatMap(({ variables }) => variables.map(({ name }) => name)));
		expect(OLD_SETTINGS).toHaveLength(25);
		expect(OLD_SETTINGS.filter(([old]) => today.has(old))).toEqual([]);
	});
});

test("a live service whose mail goes nowhere is told so at its start, and one in test mode is not", () => {
	expect(warnings(readConfig({ SVC_MODE: "live" }))).toEqual([expect.stringContaining("SVC_SMTP_URL is not set")]);
	expect(warnings(readConfig({}))).toEqual([]);
	const smtp = { SVC_MODE: "live", SVC_SMTP_URL: "smtp://mail.example", SVC_MAIL_FROM: "a@example.com" };
	expect(warnings(readConfig(smtp))).toEqual([]);
});
