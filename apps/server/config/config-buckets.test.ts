import { expect, test } from "bun:test";
import { configFault as fault } from "../../../test/support/config-fault.ts";
import { readConfig } from "./config.ts";
import { cachingWarning } from "./config-caching.ts";

const AWS = { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "a/b+c=" };

test("a bucket is one URL, and what lets the service in stands beside it", () => {
	const storage = (url: string, env = {}) => readConfig({ ...AWS, SVC_STORAGE: url, ...env }).storage;
	expect(storage("s3://s3.example.com/pictures?region=eu-west-1")).toMatchObject({
		...{ kind: "s3", endpoint: "https://s3.example.com", bucket: "pictures", region: "eu-west-1" },
		...{ accessKeyId: "AKID", secretAccessKey: "a/b+c=" },
	});
	expect(storage("s3://[::1]:9000/pictures?tls=off", { AWS_SESSION_TOKEN: "t/+" })).toMatchObject({
		...{ endpoint: "http://[::1]:9000", region: "us-east-1", sessionToken: "t/+" },
	});
	for (const wrong of [
		"s3",
		"s3://host",
		"s3://host/",
		"s3://host/a/../pictures",
		"s3://host/pictures/folder",
		"s3://host/pictures?region=eu west",
		"s3://host/pictures?regoin=eu",
		"s3://host/pictures?tls=no",
		"s3://host/pictures?region=a&region=b",
		"s3://host/pictures#x",
		"s3://key:hush@host/pictures",
		"s3://host/pictures?secret=hush",
		"https://host/pictures",
	]) {
		const message = fault({ ...AWS, SVC_STORAGE: wrong });
		expect([wrong, message]).toEqual([wrong, expect.stringContaining("it takes files, or s3://host/bucket?region=")]);
		expect(message).not.toContain("hush");
	}
});

test("backups go to a folder of a bucket, by a key of their own or that of the pictures", () => {
	const own = { AWS_BACKUP_ACCESS_KEY_ID: "own", AWS_BACKUP_SECRET_ACCESS_KEY: "hush" };
	const to = { SVC_BACKUP_TO: "s3://b.example.com/backups/a/b/?region=eu" };
	expect(readConfig({}).backupTo).toBeUndefined();
	expect(readConfig({ ...AWS, ...to }).backupTo).toMatchObject({
		endpoint: "https://b.example.com",
		accessKeyId: "AKID",
	});
	expect(readConfig({ ...AWS, AWS_SESSION_TOKEN: "t", ...own, ...to }).backupTo).toEqual({
		...{ endpoint: "https://b.example.com", region: "eu", bucket: "backups", path: "a/b" },
		...{ accessKeyId: "own", secretAccessKey: "hush" },
	});
	expect(fault(to)).toContain("AWS_ACCESS_KEY_ID is not set");
	expect(fault({ ...to, ...own, AWS_BACKUP_SECRET_ACCESS_KEY: "" })).toContain("AWS_BACKUP_SECRET_ACCESS_KEY is not");
	for (const place of [
		"/backups",
		"https://b/a",
		"s3://host",
		"s3://host/b",
		"s3://host/backups/../a",
		"s3://host/backups/a//b",
		"s3://host/back ups",
		"s3://own:hush@host/backups",
	]) {
		const message = fault({ ...own, SVC_BACKUP_TO: place });
		expect([place, message]).toEqual([place, expect.stringContaining("SVC_BACKUP_TO")]);
		expect(message).not.toContain("hush");
	}
	expect(fault({ ...own, ...to, SVC_DATABASE_URL: "http://db" })).toContain("one on a server is backed up there");
});

test("caches in front may not keep for longer than what nobody tells them, and no age is over a year", () => {
	const { caching } = readConfig({ SVC_CDN_MAX_AGE: "0", SVC_TUNING: "cdn_shared_max_age=300" });
	expect(caching).toMatchObject({ maxAgeSeconds: 0, sharedMaxAgeSeconds: 300 });
	expect(fault({ SVC_TUNING: "cdn_shared_max_age=301" })).toContain(
		'cdn_shared_max_age of SVC_TUNING is "301"; it takes at most 300',
	);
	expect(fault({ SVC_CDN_MAX_AGE: "31536001" })).toContain("at most 31536000");
	expect(fault({ SVC_CDN_MAX_AGE: "-1" })).toContain("a whole number from 0");
	expect(cachingWarning(readConfig({ SVC_CDN_MAX_AGE: "301" }).caching)).toContain("deleted picture");
	expect(cachingWarning(readConfig({}).caching)).toBeUndefined();
});

test("a cache that is told of deletes may keep for a day, and what it is told by is one URL", () => {
	const http = { SVC_PURGE: "ban+http://10.0.0.9:6081/{tag}" };
	expect(readConfig(http)).toMatchObject({
		caching: { maxAgeSeconds: 300, sharedMaxAgeSeconds: 86_400, surrogateKeys: false },
		purge: { kind: "http", url: "http://10.0.0.9:6081/{tag}", token: undefined, method: "BAN" },
	});
	expect(readConfig({ ...http, SVC_TUNING: "cdn_shared_max_age=3600" }).caching.sharedMaxAgeSeconds).toBe(3_600);
	const fastly = { SVC_PURGE: "fastly://a-service", SVC_PURGE_TOKEN: "hush" };
	expect(readConfig(fastly)).toMatchObject({
		caching: { surrogateKeys: true },
		purge: { url: "https://api.fastly.com/service/a-service/purge", method: "POST", token: "hush" },
	});
	expect(readConfig({ ...fastly, SVC_PURGE: "cloudflare://23af" }).purge).toMatchObject({
		...{ kind: "cloudflare", url: "https://api.cloudflare.com/client/v4/zones/23af/purge_cache" },
	});
	expect(readConfig({ SVC_PURGE: "https://cache.example/purge" }).purge).toMatchObject({
		kind: "http",
		method: "POST",
	});
	for (const wrong of [
		{ SVC_PURGE: "varnish" },
		{ SVC_PURGE: "patch+http://10.0.0.9/" },
		{ SVC_PURGE: "get+http://10.0.0.9/" },
		{ SVC_PURGE: "http://name:hush@10.0.0.9/" },
		{ ...fastly, SVC_PURGE: "fastly://<id>" },
		{ ...fastly, SVC_PURGE: "purge+http://10.0.0.9/<id>" },
	]) {
		expect(fault(wrong)).toContain("SVC_PURGE is set; it takes off, cloudflare://<id of the zone>, fastly://");
		expect(fault(wrong)).not.toContain("hush");
	}
	expect(fault({ ...fastly, SVC_PURGE_TOKEN: "" })).toContain("SVC_PURGE_TOKEN is not set");
	expect(fault({ ...fastly, SVC_PURGE_TOKEN: "hu sh" })).toContain("SVC_PURGE_TOKEN is set");
});
