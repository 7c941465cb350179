import type { Image } from "@svc/sdk/shapes";
import { type PageResult, redirect } from "../../kit/visit.ts";
import { ActForm, TextField } from "../kit/forms.tsx";
import { type ConsolePost, type ConsoleVisit, clientOf, type Refused } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { FileForm } from "./file-form.tsx";
import { listFilterOf, pictureQueryOf, placeOf, queryOf } from "./filter.ts";

/* What can be done with a picture as a whole. */

interface DeedsProps {
	readonly visit: ConsoleVisit;
	readonly image: Pick<Image, "filename">;
	/** The picture's own page, and the query of the list that one came from. */
	readonly path: string;
	readonly query: string;
	readonly refused: Refused | undefined;
}

export function Deeds({ image: { filename }, ...rest }: DeedsProps) {
	const { visit, path, query, refused } = rest;
	return (
		<div className="acts">
			{visit.includes.length > 0 && <Moves {...rest} />}
			<ActForm visit={visit} act="delete" action={path + query} fields={{ filename }} refused={refused}>
				<button className="danger slim" type="submit" data-keys="d">
					{t("delete")}
				</button>
			</ActForm>
		</div>
	);
}

/** What the older interfaces have not. */
function Moves({ visit, path, query, refused }: Omit<DeedsProps, "image">) {
	const action = path + query;
	return (
		<>
			<FileForm
				visit={visit}
				act="replace"
				action={`${path}/replace`}
				query={query}
				label={t("replace")}
				submit={t("replace")}
				look="quiet slim"
				refused={refused}
			>
				<p className="soft">{t("replace.about")}</p>
			</FileForm>
			{(["copy", "move"] as const).map((act) => (
				<details key={act} className="ask" open={refused?.act === act}>
					<summary className="button quiet slim">{t(act)}</summary>
					<ActForm visit={visit} act={act} action={action} refused={refused}>
						<TextField
							act={act}
							name="user_id"
							id={`${act}-user`}
							label={t("user.to")}
							hint={t("user.hint")}
							refused={refused}
						/>
						<button className="primary" type="submit">
							{t(act)}
						</button>
					</ActForm>
				</details>
			))}
		</>
	);
}

/** For what was deleted less than 24 hours ago. */
export function Restore({ visit, path, query, refused }: Omit<DeedsProps, "image">) {
	return (
		<ActForm visit={visit} act="restore" action={path + query} refused={refused}>
			<button className="primary" type="submit">
				{t("restore")}
			</button>
		</ActForm>
	);
}

/** Of a file's name, as the page after it says it. */
const NAME_MAX = 255;

export async function remove(post: ConsolePost): Promise<PageResult> {
	const { app, image, images, list } = aimOf(post);
	await images.delete(image);
	await post.leave({ what: "deleted", about: image, name: post.form.get("filename")?.slice(0, NAME_MAX) });
	return redirect(`/console/${app}/images${list}`);
}

export async function restore(post: ConsolePost): Promise<PageResult> {
	const { app, image, images, query, once } = aimOf(post);
	await images.restore(image, once);
	await post.leave({ what: "restored" });
	return redirect(`/console/${app}/images/${image}${query}`);
}

export async function copy(post: ConsolePost): Promise<PageResult> {
	const { app, image, images, once } = aimOf(post);
	const storage = userOf(post);
	const made = await images.copy(image, storage, once);
	await post.leave({ what: "copied" });
	return redirect(`/console/${app}/images/${made.id}${queryOf({ storage: storage ?? undefined })}`);
}

export async function move(post: ConsolePost): Promise<PageResult> {
	const { app, image, images, once } = aimOf(post);
	const storage = userOf(post);
	await images.move(image, storage, once);
	await post.leave({ what: "moved" });
	return redirect(`/console/${app}/images/${image}${queryOf({ storage: storage ?? undefined })}`);
}

function userOf({ form }: ConsolePost): string | null {
	return form.get("user_id")?.trim() || null;
}

/** What a form is about. */
function aimOf(post: ConsolePost) {
	const { app = "", image = "" } = post.params;
	const filter = listFilterOf(post.url);
	const place = placeOf(post.url);
	const { idempotencyKey } = post;
	return {
		app,
		image,
		images: clientOf(post, app, filter.storage).images,
		list: queryOf(filter, place),
		query: pictureQueryOf(filter, place),
		once: idempotencyKey === undefined ? {} : { idempotencyKey },
	};
}
