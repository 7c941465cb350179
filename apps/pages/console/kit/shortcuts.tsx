import { t } from "../messages.ts";

/* The list of keys. `scripts/keys.js` shows of it what the screen has, and adds each control that says its key in `data-keys`. */

/** Keys that belong to no control. `needs` is what they need on the screen. */
const KEYS = [
	{ keys: ["j", "k", "↓", "↑"], text: t("shortcuts.rows"), needs: "rows" },
	{ keys: ["h", "l", "←", "→"], text: t("shortcuts.grid"), needs: "grid" },
	{ keys: ["enter"], text: t("shortcuts.open"), needs: "rows" },
	{ keys: ["x", "space"], text: t("shortcuts.mark"), needs: "boxes" },
	{ keys: ["shift j", "shift x"], text: t("shortcuts.range"), needs: "boxes" },
	{ keys: ["b 1", "b 2", "b 3", "b 4"], text: t("shortcuts.block"), needs: "reasons" },
	{ keys: ["?"], text: t("shortcuts"), needs: undefined },
] as const;

/** Has the focus once the list is shown. */
const FIRST = { autoFocus: true };

export function Shortcuts() {
	return (
		<>
			<button className="plain" type="button" data-shows="keys">
				{t("shortcuts")}
			</button>
			<dialog id="keys" aria-labelledby="keys-title">
				<h2 id="keys-title">{t("shortcuts")}</h2>
				<dl>
					{KEYS.map(({ keys, text, needs }) => (
						<div key={keys[0]} data-needs={needs}>
							<dt>
								{keys.map((one) => (
									<kbd key={one}>{one}</kbd>
								))}
							</dt>
							<dd>{text}</dd>
						</div>
					))}
				</dl>
				<label className="choice">
					<input id="keys-on" type="checkbox" defaultChecked />
					<span>{t("shortcuts.letters")}</span>
				</label>
				<form method="dialog">
					<button className="quiet" type="submit" {...FIRST}>
						{t("shortcuts.close")}
					</button>
				</form>
			</dialog>
		</>
	);
}
