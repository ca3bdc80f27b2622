-- Places: where the cursor is, in the server's terms, and how a place of the server's is shown.

local client = require('toolpath.client')
local message = require('toolpath.message')
local virtual = require('toolpath.virtual')

local api = vim.api

local M = {}

-- The place of the cursor of a window as { textDocument, position }.
function M.of_cursor(win, server)
  return vim.lsp.util.make_position_params(win, server.offset_encoding)
end

-- The place of the start of a line, 0-based.
function M.of_line(bufnr, line)
  return { textDocument = vim.lsp.util.make_text_document_params(bufnr), position = { line = line, character = 0 } }
end

-- The offset in bytes of a character of a line, as the server counts characters.
function M.byte_of(line, character, encoding)
  if encoding == 'utf-8' then
    return math.min(character, #line)
  end
  local ok, byte
  if vim.fn.has('nvim-0.11') == 1 then
    ok, byte = pcall(vim.str_byteindex, line, encoding, character)
  else
    ok, byte = pcall(vim.str_byteindex, line, character, encoding == 'utf-16')
  end
  return ok and byte or #line
end

-- Shows an LSP Location in the current window and leaves a mark in the jump list.
function M.jump(location, server)
  if virtual.is_virtual(location.uri) then
    return virtual.open(server, location.uri, { range = location.range })
  end
  local ok, failure
  if vim.lsp.util.show_document then
    ok, failure = pcall(vim.lsp.util.show_document, location, server.offset_encoding, { focus = true })
  else
    ok, failure = pcall(vim.lsp.util.jump_to_location, location, server.offset_encoding)
  end
  if not ok then
    message.warn(vim.split(tostring(failure), '\n')[1])
  end
end

-- Goes to a step, { document, path, step }, in the window; without one, or if it is not there any more,
-- in the current window.
function M.go_to_step(server, step, win)
  local argument = { document = step.document, path = step.path, step = step.step }
  client.execute(server, 'toolpath.step', argument, api.nvim_get_current_buf(), function(location)
    if not location then
      return message.warn(('the step %s is not there any more'):format(step.step))
    end
    if win and api.nvim_win_is_valid(win) then
      api.nvim_set_current_win(win)
    end
    M.jump(location, server)
  end)
end

return M
