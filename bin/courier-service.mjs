#!/usr/bin/env node
import { launch } from './checkout.mjs';

launch('service/cli/main.ts', process.argv.slice(2));
