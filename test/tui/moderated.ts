import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Image, ModerationItem } from "@svc/sdk/shapes";
import { plain } from "../support/pictures.ts";
import { uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";
import { type Program, type ProgramOptions, startProgram } from "./program.ts";

/** A service with images that somebody has reported, and the dashboard in front of it. */
export interface Moderated extends AsyncDisposable {
	readonly service: StartedService;
	/** The file of profiles that names it. */
	readonly profile: string;
	/** In the order of their names; the queue shows the last one first. */
	readonly images: readonly Image[];
	start(more?: Partial<ProgramOptions>): Program;
	report(image: Image): Promise<void>;
	/** As an operator would elsewhere. */
	moderate(image: Image, verb: string): Promise<void>;
	itemOf(image: Image): Promise<ModerationItem>;
}

const json = { "content-type": "application/json" };

function moderationOf(service: StartedService) {
	const authorization = { Authorization: `Bearer ${service.token}` };
	const path = (image: Image, verb = "") => `/v1/moderation/images/${image.id}${verb}`;
	const taken = async (answer: Response) => {
		if (!answer.ok) throw new Error(await answer.text());
		return answer;
	};
	return {
		async report({ url }: Image) {
			const body = JSON.stringify({ url, reason: "spam", note: "looks odd" });
			await taken(await service.api("/v1/reports", { method: "POST", headers: json, body }));
		},
		async moderate(image: Image, verb: string) {
			const headers = { ...authorization, ...json };
			await taken(await service.api(path(image, `/${verb}`), { method: "POST", headers, body: "{}" }));
		},
		async itemOf(image: Image): Promise<ModerationItem> {
			return await (await taken(await service.api(path(image), { headers: authorization }))).json();
		},
	};
}

export async function startModerated(
	names: readonly string[] = ["a.png", "b.png", "c.png"],
	env: Readonly<Record<string, string>> = {},
): Promise<Moderated> {
	const service = await startService(env);
	const folder = await mkdtemp(join(tmpdir(), "svc-tui-"));
	const { baseUrl, apiKey, token } = service;
	const profiles = { local: { base_url: baseUrl, api_key: apiKey, token } };
	const profile = join(folder, "profiles.json");
	await writeFile(profile, JSON.stringify({ current: "local", profiles }), { mode: 0o600 });
	const moderation = moderationOf(service);
	const file = await plain(40, 30);
	const images: Image[] = [];
	for (const name of names) {
		const image = await uploaded(service, file, name);
		await moderation.report(image);
		images.push(image);
	}
	return {
		service,
		profile,
		images,
		...moderation,
		start: (more = {}) => startProgram({ ...more, env: { SVC_PROFILE_FILE: profile, ...more.env } }),
		async [Symbol.asyncDispose]() {
			await service.stop();
			await rm(folder, { recursive: true });
		},
	};
}

/** One of those that there are. @throws Error */
export function nth(images: readonly Image[], index: number): Image {
	const image = images[index];
	if (image === undefined) throw new Error(`There is no image ${index}.`);
	return image;
}
