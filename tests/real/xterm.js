// Replays a recording in xterm.js and prints what it shows at each of the offsets: replay.js FILE ROWS COLS OFFSET...
//
// JSON, one object for each offset: cursor, which screen, and its rows as cells of text
// and style.  Run with NODE_PATH where @xterm/headless and @xterm/addon-unicode-graphemes are.
"use strict";
const fs = require("fs");
const { Terminal } = require("@xterm/headless");
const { UnicodeGraphemesAddon } = require("@xterm/addon-unicode-graphemes");

const [file, rows, cols, ...offsets] = process.argv.slice(2);
const data = fs.readFileSync(file);
const term = new Terminal({ rows: +rows, cols: +cols, scrollback: 10000, allowProposedApi: true });
term.loadAddon(new UnicodeGraphemesAddon());
term.unicode.activeVersion = "15-graphemes";

function color(isDefault, isRgb, value) {
	return isDefault ? null : isRgb ? "#" + value.toString(16).padStart(6, "0") : value;
}

function cellOf(cell) {
	const style = {};
	const fg = color(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor());
	const bg = color(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor());
	const flags = { bold: cell.isBold(), dim: cell.isDim(), italic: cell.isItalic(), underline: cell.isUnderline(),
		reverse: cell.isInverse(), conceal: cell.isInvisible(), strike: cell.isStrikethrough(), overline: cell.isOverline() };
	if (fg !== null)
		style.fg = fg;
	if (bg !== null)
		style.bg = bg;
	for (const name in flags)
		if (flags[name])
			style[name] = true;
	return [cell.getWidth() === 0 ? "" : cell.getChars() || " ", style];
}

function line(buffer, y) {
	const row = buffer.getLine(y);
	const cells = [];
	for (let x = 0; x < cols; x++)
		cells.push(cellOf(row.getCell(x)));
	return { wrapped: row.isWrapped, cells };
}

function shown() {
	const buffer = term.buffer.active, lines = [];
	for (let y = buffer.baseY; y < buffer.baseY + +rows; y++)
		lines.push(line(buffer, y));
	return { alternate: buffer.type === "alternate", row: buffer.cursorY, col: buffer.cursorX, lines };
}

(async () => {
	const out = [];
	let at = 0;
	for (const offset of offsets.map(Number)) {
		await new Promise((done) => term.write(data.subarray(at, offset), done));
		at = offset;
		out.push(shown());
	}
	process.stdout.write(JSON.stringify(out));
})();
