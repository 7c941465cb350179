import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { LocalError, UsageError } from "@svc/base/processes/exit";
import type { SignImageOptions } from "@svc/sdk/client";
import { signUrl } from "@svc/sdk/sign-url";
import { type Context, defineCommand } from "../../kit/command.ts";
import * as takes from "../../kit/line/takes.ts";
import { readDuration } from "../../kit/line/times.ts";
import type { Column } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { readStdin } from "../account/sign-in.ts";
import { readParameters } from "../delivery/parameters.ts";

interface Signed {
	readonly url: string;
	readonly expires_at: string;
}

const COLUMNS: readonly Column<Signed>[] = [
	{ name: "url", value: ({ url }) => url },
	{ name: "expires_at", value: ({ expires_at }) => expires_at },
];

const LIFE = { minSeconds: 1, maxSeconds: 366 * 86_400, takes: "seconds, or 10m, 1h, 7d, up to 366d" };
const SECRET = /^svc_sig_[0-9A-Za-z]{38}$/;

export const sign = defineCommand({
	summary: "Sign the address of an image, for Apps whose delivery policy asks for it",
	notes:
		"With --secret-file or --secret-stdin it is signed on this machine, with the secret of one of the App's signing keys: an address needs no\n" +
		"call to the service. Without, the service signs it, for Viewers for at most 10 minutes. What is asked for cannot be changed afterwards,\n" +
		"and the address ends when it says.",
	examples: [
		"svc images sign img_1 w=300 --expires-in 7d",
		"svc images sign img_1 w=300 h=300 fit=cover --secret-stdin --expires-in 1h",
		"svc images sign img_1 preset=thumb --secret-stdin --expires-in 7d --field url",
	],
	args: {
		image: takes.word("Image id, or its address", "id|uri"),
		"secret-file": takes.text("Holds the secret", "file"),
		"secret-stdin": takes.flag("Read the secret from standard input"),
		"expires-in": takes.text("Seconds, or 10m, 1h, 7d; at most 366d. Default: 1h", "1h"),
	},
	rest: { name: "parameter=value", description: "As in an address, or preset=<name>", required: false },
	async run({ args, rest }, context) {
		const parameters = readParameters(rest);
		const seconds = readDuration("--expires-in", args["expires-in"] ?? "1h", LIFE);
		if (args["secret-file"] === undefined && !args["secret-stdin"]) {
			const signed = await signedByService(args.image, { parameters, expiresIn: seconds }, context);
			return await context.out.record(COLUMNS, signed);
		}
		const expiresMs = context.process.date().getTime() + seconds * 1_000;
		const secret = await readSecret(args, context);
		const url = await addressOf(args.image, context);
		const expiresAt = new Date(Math.floor(expiresMs / 1_000) * 1_000);
		const signed = await signUrl(url, { secret, expiresAt, parameters }).catch((error: unknown) => {
			if (error instanceof RangeError) throw new UsageError(error.message);
			throw error;
		});
		await context.out.record(COLUMNS, { url: signed, expires_at: expiresAt.toISOString() });
	},
});

/** @throws UsageError for an address: the service is asked by the id */
async function signedByService(
	image: string,
	options: SignImageOptions,
	{ client, process }: Context,
): Promise<Signed> {
	if (image.includes("://"))
		throw new UsageError("Name the image by its id, or the key by --secret-file or --secret-stdin.");
	const { images } = await client();
	const advice = {
		not_found: "See what there is: svc images list",
		forbidden: "Viewers sign for 10 minutes at most: --expires-in 10m",
	};
	return await advising(advice, () => images.sign(image, { ...options, signal: process.signal }));
}

async function addressOf(image: string, { client, process }: Context): Promise<string> {
	if (image.includes("://")) return image;
	const { images } = await client();
	const advice = { not_found: "See what there is: svc images list" };
	return (await advising(advice, () => images.get(image, { signal: process.signal }))).url;
}

/** It is never taken from the command line: other users of the machine can read that. */
async function readSecret(
	args: { readonly "secret-file"?: string | undefined; readonly "secret-stdin"?: boolean | undefined },
	context: Context,
): Promise<string> {
	const file = args["secret-file"];
	if (file !== undefined && args["secret-stdin"]) {
		throw new UsageError("Name one of --secret-file and --secret-stdin.", "Make a key: svc signing-keys create <name>");
	}
	const text =
		file === undefined ? await readStdin(context, "a signing key's secret") : await readSecretFile(file, context);
	const secret = text.trim();
	if (!SECRET.test(secret)) throw new UsageError("That is not the secret of a signing key: they begin with svc_sig_.");
	return secret;
}

async function readSecretFile(file: string, { process }: Context): Promise<string> {
	return await readFile(resolve(process.cwd, file), "utf8").catch((error: NodeJS.ErrnoException) => {
		throw new LocalError(
			`${file} cannot be read (${error.code}).`,
			"It is what --secret-file of svc signing-keys create wrote.",
		);
	});
}
