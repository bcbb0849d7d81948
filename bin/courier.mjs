#!/usr/bin/env node
import { launch } from './launch.mjs';

const args = process.argv.slice(2);
// A crawl by itself remembers next to nothing, so V8 may have little: its memory stays the same for ten thousand pages
// and for ten million. With half of that young generation it takes a quarter more processor time, with twice of it 20 MB more.
const [command] = args.filter((arg, at) => !arg.startsWith('-') && args[at - 1] !== '--config');
// A plan reads as much and writes it to the ledger. With V8's own sizes a first plan of a million pages takes 150 MB more.
const FLAGS = { crawl: ['--max-semi-space-size=8', '--max-old-space-size=96'], plan: ['--max-semi-space-size=4'] };
const flags = Object.hasOwn(FLAGS, command) ? FLAGS[command] : [];
launch('src/cli/main', args, flags);
