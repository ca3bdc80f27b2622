-- Virtual documents: texts of the server's that are in no file, such as what a step did, or a file as a
-- step left it. A buffer of one has the server's URI as its name, so that the jump list, sessions and
-- :edit find it again.

local client = require('toolpath.client')
local message = require('toolpath.message')

local api = vim.api

local M = {}

-- Milliseconds that Neovim waits for a text where it cannot go on without.
local patience = 10000

-- Texts that have come and that a buffer is about to take: URI -> text.
local arrived = {}

-- What virtual documents are, for people: URI -> words.
local titles = {}

function M.is_virtual(uri)
  return vim.startswith(uri, 'toolpath://')
end

-- Whether a URI is that of a file as of a step, about which the server can be asked as about a file.
function M.is_file(uri)
  local kind = uri:match('^toolpath://(%l+)/')
  return kind == 'at' or kind == 'before' or kind == 'after'
end

-- Says what a virtual document is.
function M.describe(uri, words)
  titles[uri] = words
  local bufnr = vim.fn.bufnr('^' .. vim.fn.escape(uri, '\\[]*?{},') .. '$')
  if bufnr > 0 then
    vim.b[bufnr].toolpath_title = words
    vim.cmd('redrawstatus!')
  end
end

-- A client that can be asked for a text: the buffer's, else any.
local function client_for(bufnr)
  return client.of(bufnr) or client.all()[1]
end

-- The file type, by the name at the end of the URI.
local function detect(bufnr, uri)
  if uri:match('%.diff$') then
    vim.bo[bufnr].filetype = 'diff'
    return
  end
  local name = vim.uri_to_fname('file:///' .. uri:match('[^/]*$'))
  api.nvim_buf_call(bufnr, function()
    pcall(vim.cmd, 'doautocmd <nomodeline> filetypedetect BufRead ' .. vim.fn.fnameescape(name))
  end)
end

local keys = {
  ['<'] = "require('toolpath.history').previous()",
  ['>'] = "require('toolpath.history').next()",
}

local function map_keys(bufnr, uri)
  local function map(lhs, command)
    api.nvim_buf_set_keymap(bufnr, 'n', lhs, '<Cmd>' .. command .. '<CR>', { noremap = true, nowait = true, silent = true })
  end
  if M.is_file(uri) then
    for lhs, call in pairs(keys) do
      map(lhs, 'lua ' .. call)
    end
  end
end

local function fill(bufnr, uri, text)
  local bo = vim.bo[bufnr]
  bo.buftype, bo.swapfile, bo.bufhidden, bo.undolevels = 'nofile', false, 'hide', -1
  bo.modifiable = true
  local lines = vim.split(text, '\r?\n')
  if #lines > 1 and lines[#lines] == '' then
    table.remove(lines)
  end
  api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  bo.modifiable, bo.modified = false, false
  detect(bufnr, uri)
  map_keys(bufnr, uri)
end

-- Fills a buffer that is being read (BufReadCmd).
function M.on_read(bufnr, uri)
  local text = arrived[uri]
  arrived[uri] = nil
  local server = client_for(bufnr)
  if server then
    client.remember(bufnr, server)
  end
  vim.b[bufnr].toolpath_title = titles[uri]
  if not text then
    if not server then
      fill(bufnr, uri, '')
      return message.warn('no server runs that could tell the text')
    end
    local params = { command = 'toolpath.content', arguments = { { uri = uri } } }
    local answer, why = client.wait_for(server, 'workspace/executeCommand', params, bufnr, patience)
    if not answer then
      fill(bufnr, uri, '')
      return message.warn(tostring(why))
    end
    text = answer.text
  end
  fill(bufnr, uri, text)
end

local watching = false

-- Has Neovim read virtual documents, and show in the status line what they are.
function M.watch()
  if watching then
    return
  end
  watching = true
  local group = api.nvim_create_augroup('toolpath.virtual', { clear = true })
  api.nvim_create_autocmd('BufReadCmd', {
    group = group,
    pattern = 'toolpath://*',
    callback = function(event)
      M.on_read(event.buf, event.match)
    end,
  })
  api.nvim_create_autocmd('BufWinEnter', {
    group = group,
    pattern = 'toolpath://*',
    command = [[setlocal statusline=%{get(b:,'toolpath_title','')\ !=\ ''\ ?\ b:toolpath_title\ :\ expand('%:t')}\ %<%=%l,%c\ %P]],
  })
end

local function show(server, uri, text, how)
  M.watch()
  arrived[uri] = text
  if how.win and api.nvim_win_is_valid(how.win) then
    api.nvim_set_current_win(how.win)
  end
  if how.mods and how.mods ~= '' then
    vim.cmd(how.mods .. ' split')
  end
  local bufnr = vim.fn.bufadd(uri)
  client.remember(bufnr, server)
  if api.nvim_buf_is_loaded(bufnr) then
    arrived[uri] = nil
    fill(bufnr, uri, text)
  end
  if how.before then
    how.before()
  end
  vim.cmd("normal! m'")
  local ok, failure = pcall(vim.cmd, 'keepalt buffer ' .. bufnr)
  if not ok then
    return message.warn(tostring(failure):match('E%d+:.*') or tostring(failure))
  end
  if how.range then
    local line = math.min(how.range.start.line + 1, api.nvim_buf_line_count(0))
    api.nvim_win_set_cursor(0, { line, 0 })
  end
  if how.after then
    how.after(bufnr)
  end
end

-- Opens a virtual document. how may have
--   win    the window, the current one without
--   mods   command modifiers such as "vertical": in a split then
--   range  where the cursor goes
--   words  what the document is, for people
--   before is called when it is about to be shown
--   after  is called with the buffer once it is there
function M.open(server, uri, how)
  if how.words then
    titles[uri] = how.words
  end
  local from = api.nvim_get_current_buf()
  client.execute(server, 'toolpath.content', { uri = uri }, from, function(answer)
    if answer then
      show(server, uri, answer.text, how)
      M.describe(uri, titles[uri])
    end
  end)
end

-- Answers window/showDocument: Neovim 0.7 does not know it, and no Neovim fetches a virtual text.
function M.on_show_document(err, params, ctx, config)
  local server = vim.lsp.get_client_by_id(ctx.client_id)
  if not server then
    return vim.NIL
  end
  if M.is_virtual(params.uri) then
    M.open(server, params.uri, { range = params.selection })
    return { success = true }
  end
  local stock = vim.lsp.handlers['window/showDocument']
  if stock then
    return stock(err, params, ctx, config)
  end
  if params.external then
    return { success = false }
  end
  local start = { line = 0, character = 0 }
  local location = { uri = params.uri, range = params.selection or { start = start, ['end'] = start } }
  return { success = pcall(vim.lsp.util.jump_to_location, location, server.offset_encoding) }
end

return M
