import { ApiError } from "@svc/sdk/failure";
import type { Image } from "@svc/sdk/shapes";
import { type PageResult, redirect } from "../../kit/visit.ts";
import type { ConsolePost, ConsoleVisit, Refused, Screen } from "../kit/visit.ts";
import { signInPath, signInScreen } from "../sign-in/sign-in.tsx";
import { filterOf, listFilterOf, pictureQueryOf, placeOf, queryOf } from "./filter.ts";
import { imagesScreen } from "./images.tsx";
import { pictureScreen } from "./picture.tsx";

/* Files from forms. A form's body is the API's own form, which goes there as it comes: nothing of it is gathered here. */

export const uploadScreen: Screen = {
	path: "/:app/upload",
	get: (visit, refused) =>
		isLogo(visit)
			? shownAt(visit, signInAt(visit), signInScreen, "upload", refused)
			: shownAt(visit, listAt(visit), imagesScreen, "upload", refused),
	async stream(post) {
		if (post.request.headers.get("accept") === "application/json") return await answerScript(post);
		const address = await upload(post);
		await post.leave({ what: "uploaded" });
		return redirect(address);
	},
};

/** Returns where the picture is shown. @throws ApiError */
async function upload(post: ConsolePost): Promise<string> {
	const { id } = await sendFile(post, "/v1/images");
	if (isLogo(post)) return `${signInAt(post)}?logo=${id}`;
	// The first picture of an App is shown in all its forms.
	const shown = post.form.get("first") === undefined ? "" : "/forms";
	return `/console/${post.params.app}/images/${id}${shown}${queryOf({ storage: filterOf(post.url).storage })}`;
}

/** Whether the file is to be the picture of the App where people sign in. */
function isLogo({ url }: ConsoleVisit): boolean {
	return url.searchParams.get("for") === "logo";
}

function signInAt({ params }: ConsoleVisit): string {
	return signInPath({ id: params.app ?? "" });
}

/** A script sends many files, and tells of each by itself what became of it. */
async function answerScript(post: ConsolePost): Promise<Response> {
	const headers = { "Cache-Control": "no-store" };
	try {
		return Response.json({ address: await upload(post) }, { status: 201, headers });
	} catch (cause) {
		if (!(cause instanceof ApiError)) throw cause;
		const { status, code, message, details, retryAfterSeconds } = cause;
		const wait = retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) };
		return Response.json({ error: { code, message, details } }, { status, headers: { ...headers, ...wait } });
	}
}

export const replaceScreen: Screen = {
	path: "/:app/images/:image/replace",
	get: (visit, refused) => shownAt(visit, pictureAt(visit), pictureScreen, "replace", refused),
	async stream(post) {
		await sendFile(post, `/v1/images/${encodeURIComponent(post.params.image ?? "")}/replace`);
		await post.leave({ what: "replaced" });
		return redirect(pictureAt(post));
	},
};

function listAt({ params, url }: ConsoleVisit): string {
	return `/console/${params.app}/images${queryOf(filterOf(url), placeOf(url))}`;
}

function pictureAt({ params, url }: ConsoleVisit): string {
	return `/console/${params.app}/images/${params.image}${pictureQueryOf(listFilterOf(url), placeOf(url))}`;
}

/** @throws ApiError */
async function sendFile({ params, form, request, url, addresses, fetch }: ConsolePost, path: string): Promise<Image> {
	const { storage } = filterOf(url);
	const headers = new Headers({ "x-svc-app": params.app ?? "" });
	const carried = {
		"content-type": request.headers.get("content-type"),
		"x-svc-user": storage,
		"idempotency-key": form.get("number"),
	};
	for (const [name, value] of Object.entries(carried)) if (value) headers.set(name, value);
	// Half duplex is all that runtimes have, and not all types know of it.
	const init = { method: "POST", headers, body: request.body, duplex: "half" };
	const answer = await fetch(addresses.base + path, init as RequestInit);
	const body = await answer.json();
	if (!answer.ok) throw new ApiError(answer.status, body.error);
	return body as Image;
}

/** The page that the form stands on: with what was refused, or as it is for whoever comes by a GET. */
function shownAt(visit: ConsoleVisit, at: string, screen: Screen, act: string, refused?: Refused): Promise<PageResult> {
	if (!refused) return Promise.resolve(redirect(at));
	return screen.get({ ...visit, url: new URL(at, visit.url) }, { ...refused, act });
}
