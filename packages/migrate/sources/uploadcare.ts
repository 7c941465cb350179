import { EXIT, LocalError, UsageError } from "@svc/base/processes/exit";
import { tagLabels } from "../fitting.ts";
import { addressIn, entriesIn, type JsonAnswer, jsonFrom, pairsIn, textIn, textsIn } from "./json-answers.ts";
import type { FoundImage, ImageSource, SourceOptions } from "./source.ts";
import { type SourcePlace, unlike } from "./source-calls.ts";

/* The images of an Uploadcare project, by its REST API. Their addresses are open to everybody: the service fetches them itself. */

const KEYS = "UPLOADCARE_PUBLIC_KEY and UPLOADCARE_SECRET_KEY";
const API = "https://api.uploadcare.com";
const PAGE = 1_000;

interface Project extends SourcePlace {
	readonly api: string;
	readonly headers: Readonly<Record<string, string>>;
}

/** @throws LocalError */
export function openUploadcare({ env, endpoint = API, prefix = "", fetch, tell }: SourceOptions): ImageSource {
	const [id, secret] = [env.UPLOADCARE_PUBLIC_KEY?.trim() ?? "", env.UPLOADCARE_SECRET_KEY?.trim() ?? ""];
	if (id === "" || secret === "")
		throw new LocalError(`The key of Uploadcare is missing: set ${KEYS}.`, undefined, EXIT.auth);
	if (!URL.canParse(endpoint)) throw new UsageError(`"${endpoint}" is no address.`);
	const project: Project = {
		...{ title: "Uploadcare", keys: KEYS, secrets: [secret], fetch, tell, api: endpoint.replace(/\/+$/, "") },
		headers: { authorization: `Uploadcare.Simple ${id}:${secret}`, accept: "application/vnd.uploadcare-v0.7+json" },
	};
	return {
		name: "uploadcare",
		async *list(signal) {
			let line = 0;
			for await (const file of files(project, signal)) {
				if (String(file.original_filename).startsWith(prefix)) yield listed(file, ++line);
			}
		},
	};
}

async function* files(project: Project, signal: AbortSignal): AsyncGenerator<JsonAnswer> {
	const seen = new Set<string>();
	let url: string | undefined = `${project.api}/files/?limit=${PAGE}&ordering=datetime_uploaded`;
	while (url !== undefined) {
		const asked: string = url;
		seen.add(asked);
		const page = await jsonFrom(project, () => ({ url: asked, headers: project.headers }), signal);
		yield* entriesIn(project, page.results);
		url = addressIn(page.next);
		// Whoever answers says where to go on: the key goes nowhere else, and the way must end.
		if (url !== undefined && (new URL(url).origin !== new URL(project.api).origin || seen.has(url)))
			throw unlike(project);
	}
}

function listed(file: JsonAnswer, line: number): FoundImage {
	const [id, address] = [textIn(file.uuid), addressIn(file.original_file_url)];
	if (file.is_image === false) {
		return { line, address: address ?? id ?? "", why: "Uploadcare says that it is no image.", isNoPicture: true };
	}
	if (id === undefined || address === undefined) {
		return { line, address: id ?? "", why: "Uploadcare names no address of it.", isNoPicture: false };
	}
	const name = textIn(file.original_filename);
	return {
		line,
		address,
		name: id,
		filename: name,
		fields: {
			date: textIn(file.datetime_uploaded),
			labels: tagLabels(textsIn(file.tags)),
			metadata: { ...pairsIn(file.metadata), ...(name !== undefined && { original_filename: name }) },
		},
	};
}
