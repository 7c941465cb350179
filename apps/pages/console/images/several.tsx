import { usePlain } from "../../kit/text.ts";
import { t } from "../messages.ts";

interface SeveralProps {
	/** The path of the screen that shows what was uploaded. */
	readonly list: string;
	/** A single file leads to itself. */
	readonly leads?: boolean;
}

/** What a form for one file has where a script runs: folders, a place to drop on, and the list of what is on its way. */
export function Several({ list, leads }: SeveralProps) {
	return (
		<div className="several" data-drop={list} data-leads={leads ? "" : undefined} hidden>
			<p className="hint">{t("upload.drop")}</p>
			<label htmlFor="folder">{t("upload.folder")}</label>
			<input id="folder" type="file" multiple {...{ webkitdirectory: "" }} />
			<template id="uploads">
				<Uploads />
			</template>
		</div>
	);
}

function Uploads() {
	const say = usePlain();
	const [done, total, failed] = ["{done}", "{total}", "{failed}"];
	return (
		<aside
			className="uploads card"
			aria-label={say(t("uploads"))}
			data-started={say(t("uploads.started", { total }))}
			data-going={say(t("uploads.going", { done, total }))}
			data-all={say(t("uploads.all", { done }))}
			data-ended={say(t("uploads.ended", { done, failed }))}
			data-waits={say(t("uploads.waits"))}
			data-cut={say(t("uploads.cut"))}
			data-lost={say(t("uploads.lost"))}
			data-type={say(t("uploads.type", { type: "{type}" }))}
			data-unread={say(t("uploads.unread"))}
		>
			<div className="heading">
				<p data-summary />
				<button className="quiet slim" type="button" data-act="retry" hidden>
					{t("uploads.retry")}
				</button>
				<button className="quiet slim" type="button" data-act="cancel">
					{t("cancel")}
				</button>
				<button className="plain" type="button" data-act="close" hidden>
					{t("uploads.close")}
				</button>
			</div>
			<progress aria-label={say(t("uploads"))} />
			<p className="soft" data-changed={say(t("uploads.changed", { folder: "{folder}" }))} hidden />
			<ul />
			<p className="soft" data-more={say(t("uploads.more", { more: "{more}" }))} hidden />
			<template>
				<li>
					<bdi />
					<progress max={1} value={0} />
					<span className="fault" />
				</li>
			</template>
		</aside>
	);
}
