import { ApiError } from "@svc/sdk/failure";
import type { PageResult } from "../../kit/visit.ts";
import { apiFilter, textsOf } from "../images/filter.ts";
import { type ConsoleVisit, isRefusal, type Screen } from "../kit/visit.ts";
import { chosenOf, chosenScreen } from "./chosen.tsx";

/* Pictures of a filter as one file, which goes to the browser while it is made. */

export const zipScreen: Screen = { path: "/:app/images.zip", get: download };

const HEADERS = ["content-type", "content-disposition", "cache-control", "x-content-type-options"];

async function download(visit: ConsoleVisit): Promise<PageResult> {
	const { filter, query } = chosenOf(visit);
	const sought = new URLSearchParams(textsOf(apiFilter(filter)));
	const address = `${visit.addresses.base}/v1/apps/${encodeURIComponent(visit.params.app ?? "")}/images.zip?${sought}`;
	const answer = await visit.fetch(address, { signal: visit.request.signal });
	if (answer.ok) {
		const kept = HEADERS.map((name) => [name, answer.headers.get(name) ?? ""] as const);
		return new Response(answer.body, { headers: Object.fromEntries(kept) });
	}
	const error = new ApiError(answer.status, (await answer.json()).error);
	if (!isRefusal(error, "validation_error")) throw error;
	const shown = await chosenScreen.get(
		{ ...visit, url: new URL(query, visit.url) },
		{ act: "zip", form: new Map(), error },
	);
	return { ...shown, status: 422 } as PageResult;
}
