import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { configFault as fault } from "../../../test/support/config-fault.ts";
import { readConfig } from "./config.ts";
import { VARIABLES } from "./variable-table.ts";

const ROOT = join(import.meta.dirname, "../../..");

describe("readConfig", () => {
	test("nothing set: the embedded defaults", () => {
		expect(readConfig({ HOME: "/root" })).toMatchObject({
			variant: "current",
			mode: "test",
			testPeople: true,
			name: "Svc",
			baseUrl: "http://localhost:3000",
			webUrl: "http://localhost:3000",
			cdnUrl: "http://localhost:3001",
			listen: [
				{ hostname: "127.0.0.1", port: 3000 },
				{ hostname: "127.0.0.1", port: 3001 },
			],
			database: { kind: "file" },
			storage: { kind: "files" },
			mail: { kind: "outbox" },
			processor: { kind: "simulated" },
			bootstrapSecret: undefined,
			cacheMaxBytes: 2_147_483_648,
			renderQueue: 256,
			warmSizes: true,
			similar: "lock",
			keyRate: 50,
			keyBurst: 200,
			createRate: 10,
			createBurst: 50,
			anonymousMaxBytes: 10_737_418_240,
			caching: { maxAgeSeconds: 300, sharedMaxAgeSeconds: undefined, surrogateKeys: false },
			purge: undefined,
			signInIpRate: 30,
			signInEmailRate: 5,
			mailRate: 300,
			importAllow: [],
			publicCutoffMs: Date.UTC(2026, 10, 1),
			graceDays: 3,
			scrubDays: 30,
			segmentModel: undefined,
			logLevel: "info",
		});
	});

	test("test people are there in test mode unless they are turned off, and in live mode neither on nor off can be said", () => {
		expect(readConfig({ SVC_TEST_PEOPLE: "off" }).testPeople).toBe(false);
		expect(fault({ SVC_TEST_PEOPLE: "yes" })).toContain("SVC_TEST_PEOPLE");
		expect(readConfig({ SVC_MODE: "live" }).testPeople).toBe(false);
		expect(fault({ SVC_MODE: "live", SVC_TEST_PEOPLE: "on" })).toContain("SVC_TEST_PEOPLE");
	});

	test("an unknown variable is an error that names the nearest known one", () => {
		expect(fault({ SVC_DATA_DRI: "x" })).toContain(
			"SVC_DATA_DRI is not a variable of this service; did you mean SVC_DATA_DIR?",
		);
		expect(fault({ SVC_STORGE: "x" })).toContain("did you mean SVC_STORAGE?");
		expect(fault({ SVC_PORT: "x" })).toContain("did you mean PORT?");
	});

	test("nothing is suggested that is not like what was sent", () => {
		for (const name of ["SVC_HELP_EMAIL", "SVC_HOOK_SECRET", "SVC_X", "SVC_SIGNATURE"])
			expect(fault({ [name]: "x" })).toEndWith(
				`\n  ${name} is not a variable of this service; docs/reference/configuration.md lists all`,
			);
	});

	test("what our pages and examples give to Apps and to the command line is passed over", async () => {
		const texts = ["docs", "examples", "packages/sdk"].flatMap((folder) =>
			[...new Glob("**/*.{md,mjs,js,jsx,astro,py,env}").scanSync(join(ROOT, folder))].map((path) => join(folder, path)),
		);
		const names = new Set<string>();
		for (const path of texts.filter((one) => !/node_modules|docs\/decisions|architecture/.test(one)))
			for (const [name] of readFileSync(join(ROOT, path), "utf8").matchAll(/\bSVC_[A-Z0-9_]*[A-Z0-9]\b/g))
				names.add(name);
		expect(names).toContain("SVC_WEBHOOK_SECRET");
		expect(names.size).toBeGreaterThan(60);
		expect([...names].filter((name) => fault({ [name]: "x" }).includes("is not a variable"))).toEqual([]);
	});

	test("every wrong variable is told at once: its name, what it got, what it takes", () => {
		const message = fault({
			SVC_VARIANT: "old",
			SVC_KEY_RATE: "-1",
			SVC_BASE_URL: "localhost",
			SVC_TUNING: "public_cutoff=soon",
		});
		expect(message).toContain('SVC_VARIANT is "old"; it takes current, legacy, transition');
		expect(message).toContain('SVC_KEY_RATE is "-1"; it takes a whole number from 0');
		expect(message).toContain('SVC_BASE_URL is "localhost"; it takes an origin');
		expect(message).toContain('public_cutoff of SVC_TUNING is "soon"');
	});

	test("one fault is told once, and nothing that is made of the wrong value", () => {
		const faults = (env: Record<string, string>) => fault(env).split("\n  ").slice(1);
		expect(faults({ PORT: "abc" })).toEqual(['PORT is "abc"; it takes a whole number from 1']);
		expect(faults({ SVC_BASE_URL: "example.com" })).toEqual([
			'SVC_BASE_URL is "example.com"; it takes an origin such as https://api.example.com, without a path, a name and a password',
		]);
		for (const env of [{ SVC_LISTEN: "abc" }, { SVC_WEB_URL: "x" }, { SVC_CDN_URL: "x" }, { PORT: "70000" }])
			expect([env, faults(env)]).toEqual([env, [expect.any(String)]]);
	});

	test("SVC_TUNING takes options with commas between them, and of an unknown one says which there are", () => {
		const { keyBurst, warmSizes } = readConfig({ SVC_TUNING: " key_burst=9 , warm_sizes=on,warm_sizes = off," });
		expect([keyBurst, warmSizes]).toEqual([9, false]);
		expect(readConfig({ SVC_KEY_RATE: "100", SVC_CREATE_RATE: "20" })).toMatchObject({
			keyBurst: 400,
			createBurst: 100,
		});
		expect(fault({ SVC_TUNING: "key_bust=9" })).toContain("it takes option=value,… of key_burst, create_burst");
		expect(fault({ SVC_TUNING: "hush" })).not.toContain("hush");
	});

	test("Stripe needs keys of the deployment's mode, a webhook's secret, and an address that keeps them secret", () => {
		const keys = { SVC_STRIPE_SECRET_KEY: "sk_test_0123456789", SVC_STRIPE_WEBHOOK_SECRET: "whsec_0123456789" };
		const stripe = keys;
		const live = { ...stripe, SVC_MODE: "live", SVC_STRIPE_SECRET_KEY: "rk_live_0123456789" };
		expect(readConfig(stripe).processor).toEqual({
			kind: "stripe",
			secretKey: "sk_test_0123456789",
			webhookSecret: "whsec_0123456789",
			apiBase: undefined,
		});
		expect(readConfig(live).processor.kind).toBe("stripe");
		expect(readConfig({ ...stripe, SVC_TUNING: "stripe_api_base=http://127.0.0.1:12111/" }).processor).toMatchObject({
			apiBase: "http://127.0.0.1:12111",
		});
		expect(readConfig({}).processor.kind).toBe("simulated");
		expect(readConfig({ SVC_MODE: "live" }).processor.kind).toBe("none");
		for (const [wrong, told] of [
			[{ ...stripe, SVC_MODE: "live" }, "SVC_STRIPE_SECRET_KEY is set; it takes a key of Stripe's live mode"],
			[{ ...live, SVC_MODE: "test" }, "SVC_STRIPE_SECRET_KEY is set; it takes a key of Stripe's test mode"],
			[{ ...stripe, SVC_STRIPE_SECRET_KEY: "pk_test_0123456789" }, "SVC_STRIPE_SECRET_KEY is set"],
			[{ ...stripe, SVC_STRIPE_SECRET_KEY: " sk_test_0123456789" }, "SVC_STRIPE_SECRET_KEY is set"],
			[{ ...stripe, SVC_STRIPE_WEBHOOK_SECRET: "secret" }, "SVC_STRIPE_WEBHOOK_SECRET is set; it takes the signing"],
			[{ ...stripe, SVC_TUNING: "stripe_api_base=http://stripe.example" }, "stripe_api_base of SVC_TUNING is set; it"],
			[{ ...stripe, SVC_TUNING: "stripe_api_base=mock" }, "stripe_api_base of SVC_TUNING is set; it takes an origin"],
		] as const) {
			expect(fault(wrong)).toContain(told);
			expect(fault(wrong)).not.toContain("0123456789");
		}
	});

	test("a chosen part asks for what it needs", () => {
		const message = fault({ SVC_STORAGE: "s3://s3.example.com/pictures", SVC_SMTP_URL: "smtp://mail.example" });
		for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "SVC_MAIL_FROM"]) {
			expect(message).toContain(`${name} is not set`);
		}
		expect(fault({ SVC_DATABASE_URL: "mysql://u:hush@db/x" })).not.toContain("hush");
	});

	test("no message holds a secret that somebody has put into an address, whichever variable it is", () => {
		const names = VARIABLES.flatMap(({ variables }) => variables.map(({ name }) => name));
		expect(names.length).toBeGreaterThan(40);
		for (const name of names) {
			for (const value of [
				"s3://key:hush@bucket",
				"s3://key:hush",
				"http://user:hush@example.com",
				"http://hush@example.com/path",
				"ftp://user:hush@[::1]/",
				"https://example.com/x?token=hush",
				"https://example.com/x#hush",
				"http://:hush@example.com",
				"s3://:hush@s3.example.com/pictures?region=eu",
				"s3://s3.example.com/pictures?password=hush",
				"purge+http://user:hush@10.0.0.9/",
				"stripe_api_base=https://user:hush@example.com",
				"user:hush@host:80",
			]) {
				for (const chosen of [
					{},
					{ SVC_STORAGE: "s3://s3.example.com/pictures", SVC_SMTP_URL: "smtp://mail.example", SVC_MODE: "live" },
				]) {
					expect([name, fault({ ...chosen, [name]: value })]).toEqual([name, expect.not.stringContaining("hush")]);
				}
			}
		}
	});

	test("mail goes out by a server whose address is whole, and from a sender that can be one", () => {
		const smtp = {
			SVC_SMTP_URL: "smtps://me:hu%3Ash@mail.example",
			SVC_MAIL_FROM: "Svc <post@svc.example>",
		};
		expect(readConfig(smtp).mail).toEqual({
			kind: "smtp",
			server: { host: "mail.example", port: 465, secure: true, login: { user: "me", pass: "hu:sh" } },
			from: { name: "Svc", address: "post@svc.example" },
		});
		const wrong = fault({ ...smtp, SVC_SMTP_URL: "mail.example:hush", SVC_MAIL_FROM: "post" });
		expect(wrong).toContain("SVC_SMTP_URL is set; it takes smtp:// or smtps://");
		expect(wrong).toContain('SVC_MAIL_FROM is "post"; it takes an address, or Name <address>');
		expect(wrong).not.toContain("hush");
	});

	test("a judge of pictures has an address, a secret, and what holds while it is away", () => {
		const secret = `whsec_${Buffer.alloc(24).toString("base64")}`;
		const judge = { SVC_SCAN_URL: "http://10.0.0.9:8080/judge?token=hush", SVC_SCAN_SECRET: secret };
		expect(readConfig(judge).scan).toEqual({ url: judge.SVC_SCAN_URL, secret, absent: "pass" });
		expect(readConfig({ ...judge, SVC_SCAN_ABSENT: "lock" }).scan?.absent).toBe("lock");
		expect(readConfig({ SVC_SCAN_SECRET: secret }).scan).toBeUndefined();
		const wrong = fault({
			SVC_SCAN_URL: "ftp://judge.example",
			SVC_SCAN_SECRET: "whsec_hush",
			SVC_SCAN_ABSENT: "block",
		});
		for (const name of ["SVC_SCAN_URL", "SVC_SCAN_SECRET", "SVC_SCAN_ABSENT"]) expect(wrong).toContain(name);
		expect(fault({ SVC_SCAN_URL: "https://judge.example" })).toContain("SVC_SCAN_SECRET");
	});

	test("images must not share an origin with the pages or the API", () => {
		expect(fault({ SVC_CDN_URL: "http://localhost:3000" })).toContain("SVC_CDN_URL");
	});

	test("behind a proxy one port serves all three; public names listen on every interface", () => {
		const origins = {
			SVC_BASE_URL: "https://api.example.com",
			SVC_WEB_URL: "https://example.com/",
			SVC_CDN_URL: "https://img.example.com",
		};
		expect(readConfig(origins).listen).toEqual([{ hostname: "0.0.0.0", port: 443 }]);
		expect(readConfig({ ...origins, SVC_LISTEN: "127.0.0.1:8080" }).listen).toEqual([
			{ hostname: "127.0.0.1", port: 8080 },
		]);
		expect(readConfig({ ...origins, SVC_LISTEN: "[::1]:80, 0.0.0.0:81" }).listen).toEqual([
			{ hostname: "::1", port: 80 },
			{ hostname: "0.0.0.0", port: 81 },
		]);
		expect(readConfig(origins).webUrl).toBe("https://example.com");
	});

	test("PORT alone moves the API and the pages, and the images to the next port", () => {
		expect(readConfig({ PORT: "4000" })).toMatchObject({
			baseUrl: "http://localhost:4000",
			webUrl: "http://localhost:4000",
			cdnUrl: "http://localhost:4001",
			listen: [
				{ hostname: "127.0.0.1", port: 4000 },
				{ hostname: "127.0.0.1", port: 4001 },
			],
			portsFrom: "PORT",
		});
		for (const wrong of ["0", "65535", "http", "-1"]) expect(fault({ PORT: wrong })).toContain(`PORT is "${wrong}"`);
	});

	test("beside public addresses PORT is the one port of all of them, and each needs a host of its own", () => {
		const hosts = { SVC_BASE_URL: "https://api.example.com", SVC_CDN_URL: "https://img.example.com" };
		expect(readConfig({ ...hosts, PORT: "10000" })).toMatchObject({
			...{ baseUrl: "https://api.example.com", webUrl: "https://api.example.com", cdnUrl: "https://img.example.com" },
			...{ listen: [{ hostname: "0.0.0.0", port: 10_000 }], portsFrom: "PORT" },
		});
		expect(fault({ SVC_BASE_URL: hosts.SVC_BASE_URL, PORT: "10000" })).toContain("SVC_CDN_URL is not set; it takes");
		expect(readConfig({ ...hosts, PORT: "10000", SVC_LISTEN: "127.0.0.1:8080" })).toMatchObject({
			...{ listen: [{ hostname: "127.0.0.1", port: 8080 }], portsFrom: "SVC_LISTEN" },
		});
	});

	test("from SVC_LISTEN alone the addresses are made that it listens at", () => {
		expect(readConfig({ SVC_LISTEN: "0.0.0.0:8080,192.0.2.7:8081" })).toMatchObject({
			...{ baseUrl: "http://localhost:8080", webUrl: "http://localhost:8080", cdnUrl: "http://192.0.2.7:8081" },
			portsFrom: "SVC_LISTEN",
		});
		expect(readConfig({ SVC_LISTEN: "[::1]:8080,[2001:db8::7]:8081" })).toMatchObject({
			...{ baseUrl: "http://localhost:8080", cdnUrl: "http://[2001:db8::7]:8081" },
		});
		expect(fault({ SVC_LISTEN: "127.0.0.1:8080" })).toContain("unless SVC_BASE_URL and SVC_CDN_URL are set");
	});

	test("the pages are where the API is, unless they have an address of their own", () => {
		const config = readConfig({ SVC_BASE_URL: "http://svc.test:5000" });
		expect([config.webUrl, config.cdnUrl, config.portsFrom]).toEqual([
			"http://svc.test:5000",
			"http://localhost:3001",
			"SVC_BASE_URL, SVC_WEB_URL, SVC_CDN_URL",
		]);
		expect(fault({ SVC_BASE_URL: "http://localhost:3001" })).toContain(
			"SVC_CDN_URL is not set; it takes another origin",
		);
	});

	test("a command is written as it works where it was started, with the data directory where that is elsewhere", () => {
		expect(readConfig({}).command).toBe("./svc");
		expect(readConfig({ SVC_COMMAND: "../svc/svc", SVC_DATA_DIR: "data" }).command).toBe("../svc/svc");
		expect(readConfig({ SVC_DATA_DIR: "/srv/my data" }).command).toBe("SVC_DATA_DIR='/srv/my data' ./svc");
	});

	test("loopback is the proxy that is believed; other networks are named, or none", () => {
		const proxies = (sent?: string) =>
			readConfig(sent === undefined ? {} : { SVC_TRUSTED_PROXIES: sent }).proxyTrust.proxies.map(
				({ base, bits }) => `${base}/${bits}`,
			);
		expect(proxies()).toEqual(["127.0.0.0/8", "::1/128"]);
		expect(proxies("10.0.0.0/8, 192.0.2.7,2001:db8::/32")).toEqual(["10.0.0.0/8", "192.0.2.7/32", "2001:db8::/32"]);
		expect(proxies("none")).toEqual([]);
		expect(fault({ SVC_TRUSTED_PROXIES: "10.0.0.0/8,nginx" })).toContain('SVC_TRUSTED_PROXIES is "10.0.0.0/8,nginx"');
		expect(fault({ SVC_TRUSTED_PROXIES: "10.0.0.0/33" })).toContain("it takes addresses and networks");
		expect(readConfig({ SVC_CLIENT_ADDRESS_HEADER: "CF-Connecting-IP" }).proxyTrust.header).toBe("cf-connecting-ip");
		for (const header of ["X-Forwarded-For", "Forwarded", "a b"]) {
			expect(fault({ SVC_CLIENT_ADDRESS_HEADER: header })).toContain("it takes the name of a header with one address");
		}
		expect(fault({ SVC_CLIENT_ADDRESS_HEADER: "X-Real-IP", SVC_TRUSTED_PROXIES: "none" })).toContain("nobody");
	});

	test("a bootstrap secret has at least 20 characters, and is not repeated", () => {
		expect(readConfig({ SVC_BOOTSTRAP_SECRET: "x".repeat(20) }).bootstrapSecret).toHaveLength(20);
		for (const short of ["x", "x".repeat(19), "😀".repeat(19)]) {
			expect(fault({ SVC_BOOTSTRAP_SECRET: short })).toBe(
				"The configuration is wrong:\n  SVC_BOOTSTRAP_SECRET is set; it takes at least 20 characters, such as `openssl rand -hex 20` makes",
			);
		}
	});

	test("a live service drains for five seconds, one in test mode for none, unless it is told", () => {
		expect(readConfig({}).drainMs).toBe(0);
		expect(readConfig({ SVC_MODE: "live" }).drainMs).toBe(5_000);
		expect(readConfig({ SVC_MODE: "live", SVC_DRAIN_SECONDS: "0" }).drainMs).toBe(0);
		expect(readConfig({ SVC_DRAIN_SECONDS: "20" }).drainMs).toBe(20_000);
	});

	test("metrics are open in test mode; a token has no spaces, and their address is one", () => {
		expect(readConfig({}).metrics).toEqual({ token: undefined, listen: undefined, open: true });
		expect(readConfig({ SVC_MODE: "live" }).metrics.open).toBe(false);
		expect(readConfig({ SVC_METRICS_TOKEN: "t0ken", SVC_METRICS_LISTEN: "[::1]:9464" }).metrics).toMatchObject({
			token: "t0ken",
			listen: { hostname: "::1", port: 9464 },
		});
		expect(fault({ SVC_METRICS_TOKEN: "two words" })).toBe(
			"The configuration is wrong:\n  SVC_METRICS_TOKEN is set; it takes a token without spaces",
		);
		expect(fault({ SVC_METRICS_LISTEN: "a:1,b:2" })).toContain("it takes one host:port");
	});

	test("0 turns sign-in limits off in test mode only", () => {
		expect(readConfig({ SVC_SIGN_IN_IP_RATE: "0" }).signInIpRate).toBe(0);
		expect(fault({ SVC_MODE: "live", SVC_SIGN_IN_IP_RATE: "0" })).toContain("SVC_SIGN_IN_IP_RATE");
	});
});
